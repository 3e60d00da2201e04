/** The shader that follows contrails of grid cells: one invocation has one contrail, and takes it through some steps. */
import { EARTH_RADIUS_M } from '../../constants.ts';
import type { HumidityColumn } from '../../humidity-scaling/vector.ts';
import type { LoopBody } from '../../vector/expression.ts';
import { columnName, literal } from '../../vector/wgsl/loop.ts';
import type { TableColumn } from '../plumes.ts';
import type { StageWriter } from './stages.ts';
import {
  airAt,
  declared,
  describeContrail,
  FLAGS,
  FROM_MS,
  MAX_GROUPS,
  STEP_NUMBERS,
  stageText,
  WEATHER_TEXT,
  WEATHER_WEIGHT,
  WORKGROUP,
} from './weather-text.ts';

/** What is stored of a contrail between dispatches. */
export const STATE_COLUMNS = [
  'longitude',
  'latitude',
  'level',
  'width',
  'depth',
  'sigmaYz',
  'humidity',
  'saturation',
  'density',
  'iceWaterContent',
  'particles',
  'u',
  'v',
  'omega',
  'normalShear',
  'massPerM',
  'fallSpeed',
  'diffusivityH',
  'diffusivityV',
  'aggregation',
  'turbulence',
  'rfNet',
] as const satisfies readonly TableColumn[];

/**
 * What is added up of a contrail, behind its state. Longitude and latitude of the state stay as they are, and how far the
 * contrail has drifted east and north of them [°] is added up: small numbers keep digits that large ones would lose.
 */
export const SUMS = ['east', 'north', 'energy', 'age', 'unforced', 'flags'] as const;
/** Energy, age and time without forcing are beside each other. */
export const FIRST_RESULT = STATE_COLUMNS.length + SUMS.indexOf('energy');
export const STATE_NUMBERS = STATE_COLUMNS.length + SUMS.length;

/** Text of the shader for a correction of humidity. */
export function followShader(scaling: LoopBody<HumidityColumn>, writer: StageWriter): string {
  const stage = stageText(writer);
  const body = `
    c_timeMs = parameters[step_base + ${FROM_MS}u];
    let start = origin + drift;
    c_latitude = start.y;
    c_longitude = drift.x;
    ${stage('move')}
    drift = vec2f(c_longitude, drift.y + c_v * c_dtS * PER_METRE);
    if (abs(start.y) > 80.0) {
      origin = move_near_pole(start.x, start.y, c_u, c_v, c_dtS);
      drift = vec2f(0.0);
      c_sineOfLatitude = sine_of(radians(origin.y));
      c_cosineOfLatitude = cosine_of(radians(origin.y));
    }
    if (origin.x + drift.x >= 180.0) { origin.x -= 360.0; }
    if (origin.x + drift.x < -180.0) { origin.x += 360.0; }
    c_longitude = origin.x + drift.x;
    c_latitude = origin.y + drift.y;
    ${stage('disperse')}
    let time_weight = parameters[step_base + ${WEATHER_WEIGHT}u];
    k = layer_of(c_level, max(k, 0));
    if (!locate(origin, drift, false) || k < 0) { is_living = false; break; }
    ${airAt('k', true)}
    if (is_nan(c_temperature) || is_nan(c_humidity)) { is_living = false; break; }
    ${stage('scale', scaling)}
    ${stage('describeAir')}
    ${stage('mixIce')}
    ${describeContrail(stage)}
    ${stage('addEnergy')}
    is_living = c_age <= area.max_age && c_opticalDepth >= area.min_tau && c_opticalDepth <= area.max_tau
      && c_particlesPerM3 >= area.min_particles && c_particlesPerM3 <= area.max_particles
      && c_altitude >= area.min_altitude && c_altitude <= area.max_altitude
      && c_latitude >= -89.0 && c_latitude <= 89.0;
    if (!is_living) { break; }
    if (is_forced && (flags & ${FLAGS.unforced}u) == 0u) { s_energy += c_energyForcing; }
    else { s_unforced += c_age - s_age; }
    s_age = c_age;
    flags = found_flags;`;
  return `
${WEATHER_TEXT}
@group(0) @binding(9) var<storage, read> alive: array<u32>;
${POLAR_MOVE}

@compute @workgroup_size(${WORKGROUP})
fn follow(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let at = id.x + id.y * groups.x * ${WORKGROUP}u;
  if (at >= atomicLoad(&counts[0])) { return; }
  let plume = alive[at];
  ${declared(new Set([...writer.columns, ...STATE_COLUMNS]))}
  ${STATE_COLUMNS.map((column, k) => `${columnName(column)} = state[${k}u * area.capacity + plume];`).join('\n  ')}
  ${SUMS.map((name, k) => `var s_${name} = state[${STATE_COLUMNS.length + k}u * area.capacity + plume];`).join('\n  ')}
  var flags = u32(s_flags);
  var origin = vec2f(c_longitude, c_latitude);
  var drift = vec2f(s_east, s_north);
  var is_living = true;
  var k = 0;
  c_length = 1.0;
  for (var step = steps.first; step < steps.end && is_living; step++) {
    let step_base = step * ${STEP_NUMBERS}u;
    if ((flags & ${FLAGS.adrift}u) != 0u) { s_unforced += area.step_s; }
    if ((flags & ${FLAGS.adrift | FLAGS.lost}u) != 0u) { is_living = false; break; }
    ${body}
  }
  s_flags = f32(flags);
  s_east = drift.x;
  s_north = drift.y;
  ${SUMS.map((name, k) => `state[${STATE_COLUMNS.length + k}u * area.capacity + plume] = s_${name};`).join('\n  ')}
  if (!is_living) { return; }
  c_longitude = origin.x;
  c_latitude = origin.y;
  ${STATE_COLUMNS.map((column, k) => `state[${k}u * area.capacity + plume] = ${columnName(column)};`).join('\n  ')}
  survivors[atomicAdd(&counts[1], 1u)] = plume;
}
`;
}

/** As `advectLongitude` and `advectLatitude` do beyond 80° of latitude. */
export const POLAR_MOVE = `
const PER_METRE = ${literal(180 / Math.PI / EARTH_RADIUS_M)};
fn move_near_pole(longitude: f32, latitude: f32, u: f32, v: f32, dt: f32) -> vec2f {
  let side = select(-1.0, 1.0, latitude > 0.0);
  let sine = sine_of(radians(longitude));
  let cosine = cosine_of(radians(longitude));
  let distance = 90.0 - abs(latitude);
  let x = sine * distance + (u * cosine - side * v * sine) * PER_METRE * dt;
  let y = -side * cosine * distance + (side * u * sine + v * cosine) * PER_METRE * dt;
  var moved = 90.0 + side * degrees(arctangent_of(y, x));
  if (u == 0.0 && v == 0.0) { moved = longitude; }
  if (moved >= 180.0) { moved -= 360.0; }
  if (moved < -180.0) { moved += 360.0; }
  return vec2f(moved, side * (90.0 - sqrt(x * x + y * y)));
}`;

/** Makes the survivors of a dispatch the contrails of the next one. */
export const ADVANCE_SHADER = `
@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> dispatch: array<u32, 3>;
@compute @workgroup_size(1)
fn advance() {
  let groups = (counts[1] + ${WORKGROUP - 1}u) / ${WORKGROUP}u;
  dispatch[0] = min(groups, ${MAX_GROUPS}u);
  dispatch[1] = (groups + ${MAX_GROUPS - 1}u) / ${MAX_GROUPS}u;
  dispatch[2] = 1u;
  counts[0] = counts[1];
  counts[1] = 0u;
}
`;
