/** The shader that follows contrails of grid cells: one invocation has one contrail, and takes it through some steps. */
import { EARTH_RADIUS_M } from '../../constants.ts';
import type { HumidityColumn } from '../../humidity-scaling/vector.ts';
import type { LoopBody } from '../../vector/expression.ts';
import { columnName, literal } from '../../vector/wgsl/loop.ts';
import { WGSL_FUNCTIONS } from '../../vector/wgsl/math.ts';
import type { TableColumn } from '../plumes.ts';
import { PLUME_STAGES } from '../vector/index.ts';
import { PARAMETER_COUNT } from '../vector/parameters.ts';
import { StageWriter } from './stages.ts';

/** Invocations that a device runs together. */
const WORKGROUP = 128;
/** Most groups in one direction of a dispatch. */
const MAX_GROUPS = 32_768;

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
const SUMS = ['east', 'north', 'energy', 'age', 'unforced', 'flags'] as const;
/** Energy, age and time without forcing are beside each other. */
export const FIRST_RESULT = STATE_COLUMNS.length + SUMS.indexOf('energy');
export const STATE_NUMBERS = STATE_COLUMNS.length + SUMS.length;

/** Of a contrail: where it drifts is unknown; it has no air below; its last forcing is unknown. */
export const FLAGS = { adrift: 1, lost: 2, unforced: 4 } as const;

/** Numbers of a step: those of the stages, its start, and the weights of the later of two times. */
export const STEP_NUMBERS = PARAMETER_COUNT + 3;
const FROM_MS = PARAMETER_COUNT;
const WEATHER_WEIGHT = PARAMETER_COUNT + 1;
const RADIATION_WEIGHT = PARAMETER_COUNT + 2;

/** Fields of the uniform that all dispatches share, in order. */
export const LAYOUT_FIELDS = [
  ['west', 'f32'],
  ['east', 'f32'],
  ['per_longitude', 'f32'],
  ['longitudes', 'u32'],
  ['south', 'f32'],
  ['north', 'f32'],
  ['per_latitude', 'f32'],
  ['latitudes', 'u32'],
  ['levels', 'u32'],
  ['top', 'f32'],
  ['bottom', 'f32'],
  ['radiation_west', 'f32'],
  ['radiation_east', 'f32'],
  ['radiation_per_longitude', 'f32'],
  ['radiation_longitudes', 'u32'],
  ['radiation_south', 'f32'],
  ['radiation_north', 'f32'],
  ['radiation_per_latitude', 'f32'],
  ['radiation_latitudes', 'u32'],
  ['flux_per_unit', 'f32'],
  ['shares_map', 'u32'],
  ['shear_share', 'f32'],
  ['step_s', 'f32'],
  ['max_age', 'f32'],
  ['min_tau', 'f32'],
  ['max_tau', 'f32'],
  ['min_particles', 'f32'],
  ['max_particles', 'f32'],
  ['min_altitude', 'f32'],
  ['max_altitude', 'f32'],
  ['capacity', 'u32'],
] as const;
export type LayoutField = (typeof LAYOUT_FIELDS)[number][0];

/** Pairs of variables of weather that a step interpolates where the contrail is, and how many of them below it. */
const PAIRS = 3;
const PAIRS_BELOW = 2;

/** Loops over private arrays would put them into slow memory. */
const eachPair = (write: (v: number) => string, count: number): string =>
  Array.from({ length: count }, (_, v) => write(v)).join('\n  ');

export interface FollowShader {
  readonly code: string;
  /** Numbers that rows look up. */
  readonly records: Float32Array;
}

/** Text and tables of the shader for a correction of humidity. */
export function followShader(scaling: LoopBody<HumidityColumn>): FollowShader {
  const writer = new StageWriter();
  const stage = (name: keyof typeof PLUME_STAGES) => writer.write(name, PLUME_STAGES[name]);
  const steps = {
    move: stage('move'),
    disperse: stage('disperse'),
    scale: writer.write('scale', scaling as LoopBody<TableColumn>),
    describeAir: stage('describeAir'),
    mixIce: stage('mixIce'),
    shine: stage('shine'),
    surroundings: stage('describeSurroundings'),
    plumes: stage('describePlumes'),
    force: stage('force'),
    energy: stage('addEnergy'),
  };
  const columns = new Set<TableColumn>([...writer.columns, ...STATE_COLUMNS]);
  const code = `
${WGSL_FUNCTIONS}
struct Layout { ${LAYOUT_FIELDS.map(([name, type]) => `${name}: ${type}`).join(', ')} }
struct Steps { first: u32, end: u32, has_radiation: u32, levels_at: u32 }
@group(0) @binding(0) var<uniform> area: Layout;
@group(0) @binding(1) var<uniform> steps: Steps;
@group(0) @binding(2) var<storage, read> parameters: array<f32>;
@group(0) @binding(3) var<storage, read> records: array<f32>;
@group(0) @binding(4) var<storage, read> early: array<vec2f>;
@group(0) @binding(5) var<storage, read> late: array<vec2f>;
@group(0) @binding(6) var<storage, read> radiation_early: array<vec2f>;
@group(0) @binding(7) var<storage, read> radiation_late: array<vec2f>;
@group(0) @binding(8) var<storage, read_write> state: array<f32>;
@group(0) @binding(9) var<storage, read> alive: array<u32>;
@group(0) @binding(10) var<storage, read_write> survivors: array<u32>;
@group(0) @binding(11) var<storage, read_write> counts: array<atomic<u32>, 2>;

var<private> corner: vec4u;
var<private> weight: vec4f;
/** Temperature and u, v and humidity, pressure velocity and cirrus on the levels above and below. */
var<private> upper: array<vec2f, ${PAIRS}>;
var<private> lower: array<vec2f, ${PAIRS}>;

/** Cells and weights around a point that lies an offset east and north of another. */
fn locate(point: vec2f, offset: vec2f, is_radiation: bool) -> bool {
  let west = select(area.west, area.radiation_west, is_radiation);
  let east = select(area.east, area.radiation_east, is_radiation);
  let south = select(area.south, area.radiation_south, is_radiation);
  let north = select(area.north, area.radiation_north, is_radiation);
  let columns = select(area.longitudes, area.radiation_longitudes, is_radiation);
  let rows = select(area.latitudes, area.radiation_latitudes, is_radiation);
  let per_degree = select(
    vec2f(area.per_longitude, area.per_latitude),
    vec2f(area.radiation_per_longitude, area.radiation_per_latitude), is_radiation);
  let start = (point - vec2f(west, south)) * per_degree;
  let whole = floor(start);
  let parts = (start - whole) + offset * per_degree;
  let moved = whole + floor(parts);
  let cell = clamp(moved, vec2f(0.0), vec2f(f32(columns - 2u), f32(rows - 2u)));
  let weights = parts - floor(parts) + (moved - cell);
  let first = u32(cell.y) * columns + u32(cell.x);
  corner = vec4u(first, first + 1u, first + columns, first + columns + 1u);
  let others = 1.0 - weights;
  weight = vec4f(others.x * others.y, weights.x * others.y, others.x * weights.y, weights.x * weights.y);
  let at = point + offset;
  return at.x >= west && at.x <= east && at.y >= south && at.y <= north;
}

/** A pair of variables between the columns of the grid and between two times; at: of the first column. */
fn pair_at(at: vec4u, later: f32) -> vec2f {
  return (early[at.x] * weight.x + early[at.y] * weight.y + early[at.z] * weight.z + early[at.w] * weight.w) * (1.0 - later)
    + (late[at.x] * weight.x + late[at.y] * weight.y + late[at.z] * weight.z + late[at.w] * weight.w) * later;
}

/** The layer that holds a level [hPa], -1 outside. */
fn layer_of(level: f32) -> i32 {
  let levels = i32(area.levels);
  if (!(level >= records[steps.levels_at] && level <= records[steps.levels_at + area.levels - 1u])) { return -1; }
  var k = 0;
  while (k < levels - 2 && records[steps.levels_at + u32(k) + 1u] <= level) { k++; }
  return k;
}
fn weight_below(level: f32, k: i32) -> f32 {
  let above = records[steps.levels_at + u32(k)];
  return (level - above) / (records[steps.levels_at + u32(k) + 1u] - above);
}
/** What is found is kept for a second look a little below. */
fn sample_layer(k: i32, later: f32) {
  let above = corner * (area.levels * ${PAIRS}u) + vec4u(u32(k) * ${PAIRS}u);
  let below = above + vec4u(${PAIRS}u);
  ${eachPair((v) => `upper[${v}] = pair_at(above + vec4u(${v}u), later); lower[${v}] = pair_at(below + vec4u(${v}u), later);`, PAIRS)}
}
fn sample_layer_below(k: i32, later: f32) {
  let above = corner * (area.levels * ${PAIRS}u) + vec4u(u32(k) * ${PAIRS}u);
  let below = above + vec4u(${PAIRS}u);
  ${eachPair((v) => `upper[${v}] = pair_at(above + vec4u(${v}u), later); lower[${v}] = pair_at(below + vec4u(${v}u), later);`, PAIRS_BELOW)}
}

${POLAR_MOVE}

@compute @workgroup_size(${WORKGROUP})
fn follow(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let at = id.x + id.y * groups.x * ${WORKGROUP}u;
  if (at >= atomicLoad(&counts[0])) { return; }
  let plume = alive[at];
  ${[...columns].map((column) => `var ${columnName(column)}: f32 = 0.0;`).join('\n  ')}
  ${STATE_COLUMNS.map((column, k) => `${columnName(column)} = state[${k}u * area.capacity + plume];`).join('\n  ')}
  ${SUMS.map((name, k) => `var s_${name} = state[${STATE_COLUMNS.length + k}u * area.capacity + plume];`).join('\n  ')}
  var flags = u32(s_flags);
  var origin = vec2f(c_longitude, c_latitude);
  var drift = vec2f(s_east, s_north);
  var is_living = true;
  c_length = 1.0;
  for (var step = steps.first; step < steps.end && is_living; step++) {
    let step_base = step * ${STEP_NUMBERS}u;
    if ((flags & ${FLAGS.adrift}u) != 0u) { s_unforced += area.step_s; }
    if ((flags & ${FLAGS.adrift | FLAGS.lost}u) != 0u) { is_living = false; break; }
    c_timeMs = parameters[step_base + ${FROM_MS}u];
    let start = origin + drift;
    c_latitude = start.y;
    c_longitude = drift.x;
    {
${steps.move}
    }
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
    {
${steps.disperse}
    }
    let time_weight = parameters[step_base + ${WEATHER_WEIGHT}u];
    let k = layer_of(c_level);
    if (!locate(origin, drift, false) || k < 0 || !(c_level >= area.top && c_level <= area.bottom)) {
      is_living = false;
      break;
    }
    sample_layer(k, time_weight);
    let part = weight_below(c_level, k);
    let first_pair = mix(upper[0], lower[0], part);
    let second_pair = mix(upper[1], lower[1], part);
    let third_pair = mix(upper[2], lower[2], part);
    c_temperature = first_pair.x;
    c_u = first_pair.y;
    c_v = second_pair.x;
    c_humidity = second_pair.y;
    c_omega = third_pair.x;
    c_cirrusOpticalDepth = third_pair.y;
    if (is_nan(c_temperature) || is_nan(c_humidity)) { is_living = false; break; }
    let has_motion = !(is_nan(c_u) || is_nan(c_v) || is_nan(c_omega));
    let has_cirrus = !is_nan(c_cirrusOpticalDepth);
    {
${steps.scale}
    }
    {
${steps.describeAir}
    }
    {
${steps.mixIce}
    }
    {
${steps.shine}
    }
    let k_below = layer_of(c_levelBelow);
    var has_below = k_below >= 0 && c_levelBelow >= area.top && c_levelBelow <= area.bottom;
    if (has_below) {
      if (k_below != k) { sample_layer_below(k_below, time_weight); }
      let part_below = weight_below(c_levelBelow, k_below);
      let pair_below = mix(upper[0], lower[0], part_below);
      c_temperatureBelow = pair_below.x;
      c_uBelow = pair_below.y;
      c_vBelow = mix(upper[1].x, lower[1].x, part_below);
      has_below = !(is_nan(c_temperatureBelow) || is_nan(c_uBelow) || is_nan(c_vBelow));
    }
    var has_shortwave = false;
    var has_longwave = false;
    var is_in_radiation = steps.has_radiation == 1u;
    if (is_in_radiation && area.shares_map == 0u) { is_in_radiation = locate(origin, drift, true); }
    if (is_in_radiation) {
      let later = parameters[step_base + ${RADIATION_WEIGHT}u];
      let flux = (radiation_early[corner.x] * weight.x + radiation_early[corner.y] * weight.y
        + radiation_early[corner.z] * weight.z + radiation_early[corner.w] * weight.w) * (1.0 - later)
        + (radiation_late[corner.x] * weight.x + radiation_late[corner.y] * weight.y
        + radiation_late[corner.z] * weight.z + radiation_late[corner.w] * weight.w) * later;
      c_shortwave = flux.x * area.flux_per_unit;
      c_longwave = flux.y * area.flux_per_unit;
      has_shortwave = !is_nan(c_shortwave);
      has_longwave = !is_nan(c_longwave);
    }
    let is_forced = has_cirrus && has_longwave && (has_shortwave || !(c_sdr > 0.0));
    {
${steps.surroundings}
    }
    {
${steps.plumes}
    }
    if (is_forced) {
${steps.force}
    }
    c_normalShear = area.shear_share * c_shear;
    {
${steps.energy}
    }
    is_living = c_age <= area.max_age && c_opticalDepth >= area.min_tau && c_opticalDepth <= area.max_tau
      && c_particlesPerM3 >= area.min_particles && c_particlesPerM3 <= area.max_particles
      && c_altitude >= area.min_altitude && c_altitude <= area.max_altitude
      && c_latitude >= -89.0 && c_latitude <= 89.0;
    if (!is_living) { break; }
    if (is_forced && (flags & ${FLAGS.unforced}u) == 0u) { s_energy += c_energyForcing; }
    else { s_unforced += c_age - s_age; }
    s_age = c_age;
    flags = select(${FLAGS.adrift}u, 0u, has_motion) | select(${FLAGS.lost}u, 0u, has_below)
      | select(${FLAGS.unforced}u, 0u, is_forced);
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
  return { code, records: writer.recordNumbers() };
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
@group(0) @binding(0) var<storage, read_write> counts: array<u32, 2>;
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
