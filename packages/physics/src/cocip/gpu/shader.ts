/** The shader that follows contrails of grid cells: one invocation has one contrail, and takes it through some steps. */
import type { HumidityColumn } from '../../humidity-scaling/vector.ts';
import type { LoopBody } from '../../vector/expression.ts';
import { columnName } from '../../vector/wgsl/loop.ts';
import type { TableColumn } from '../plumes.ts';
import { ENDS_TEXT, FIND_END_WINDS, MOVE_TEXT, measureEnds, SHIFT_TEXT } from './segment-text.ts';
import type { StageWriter } from './stages.ts';
import {
  airAt,
  declared,
  describeContrail,
  FIRST_COUNT,
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
const SUMS = ['east', 'north', 'energy', 'age', 'unforced', 'flags'] as const;
/**
 * Of a segment with a direction: its length, for how much longer its tail and shorter its head is in the air in the first step [s], how
 * far its ends are from the contrail [°], and the wind there.
 */
const ENDS = [
  'length',
  'lead',
  ...['head_east', 'head_north', 'head_u', 'head_v'],
  ...['tail_east', 'tail_north', 'tail_u', 'tail_v'],
] as const;

/** Energy, age and time without forcing are adjacent. */
export const FIRST_RESULT = STATE_COLUMNS.length + SUMS.indexOf('energy');

/** What is stored behind the state, of contrails whose segments have a direction or none. */
export const sumsOf = (isDirected: boolean): readonly string[] => (isDirected ? [...SUMS, ...ENDS] : SUMS);

/** Numbers that are stored of a contrail. */
export const stateNumbers = (isDirected: boolean): number => STATE_COLUMNS.length + sumsOf(isDirected).length;

/** Text of the shader for a correction of humidity. */
export function followShader(
  scaling: LoopBody<HumidityColumn>,
  writer: StageWriter,
  isDirected: boolean,
): string {
  const stage = stageText(writer);
  const sums = sumsOf(isDirected);
  const body = `
    if ((flags & ${FLAGS.adrift}u) != 0u) { s_unforced += area.step_s; }
    if ((flags & ${FLAGS.adrift | FLAGS.lost}u) != 0u) { return false; }
    c_timeMs = parameters[step_base + ${FROM_MS}u];
    let start = origin + drift;
    c_latitude = start.y;
    // Only how far the contrail moves: the sum of small numbers keeps digits that a longitude would lose.
    c_longitude = 0.0;
    ${stage('move')}
    var moved = vec2f(c_longitude, c_v * c_dtS * PER_METRE);
    let is_polar = abs(start.y) > 80.0;
    if (is_polar) { moved = shift_near_pole(distance_to_pole(origin, drift), start.y, vec2f(c_u, c_v), c_dtS); }
    ${isDirected ? MOVE_TEXT : ''}
    drift += moved;
    if (origin.x + drift.x >= 180.0) { origin.x -= 360.0; }
    if (origin.x + drift.x < -180.0) { origin.x += 360.0; }
    c_longitude = origin.x + drift.x;
    c_latitude = origin.y + drift.y;
    if (is_polar) {
      c_sineOfLatitude = sine_of(radians(c_latitude));
      c_cosineOfLatitude = cosine_of(radians(c_latitude));
    }
    ${isDirected ? measureEnds(stage) : ''}
    ${stage('disperse')}
    let time_weight = parameters[step_base + ${WEATHER_WEIGHT}u];
    k = layer_of(c_level, max(k, 0));
    if (!locate(origin, drift, false) || k < 0) { return false; }
    ${airAt('k', true)}
    if (is_nan(c_temperature) || is_nan(c_humidity)) { return false; }
    ${stage('scale', scaling)}
    ${stage('describeAir')}
    ${stage('mixIce')}
    ${describeContrail(stage, isDirected)}
    ${stage('addEnergy')}
    let is_living = c_age <= area.max_age && c_opticalDepth >= area.min_tau && c_opticalDepth <= area.max_tau
      && c_particlesPerM3 >= area.min_particles && c_particlesPerM3 <= area.max_particles
      && c_altitude >= area.min_altitude && c_altitude <= area.max_altitude
      && c_latitude >= -89.0 && c_latitude <= 89.0${isDirected ? ' && c_length <= area.max_length' : ''};
    if (!is_living) { return false; }
    if (is_forced && (flags & ${FLAGS.unforced}u) == 0u) { s_energy += c_energyForcing${isDirected ? ' * area.per_metre' : ''}; }
    else { s_unforced += c_age - s_age; }
    s_age = c_age;
    flags = found_flags;
    ${isDirected ? FIND_END_WINDS : ''}
    return true;`;
  return `
${WEATHER_TEXT}
@group(0) @binding(9) var<storage, read> alive: array<u32>;
${SHIFT_TEXT}
${isDirected ? ENDS_TEXT : ''}
${declared(new Set([...writer.columns, ...STATE_COLUMNS]), sums)}
var<private> flags: u32;
var<private> origin: vec2f;
var<private> drift: vec2f;
/** The layer of the weather that the contrail is in. */
var<private> k: i32;
${isDirected ? ENDS_OF_SEGMENT.map((end) => `var<private> ${end}: vec2f;\nvar<private> ${end}_wind: vec2f;`).join('\n') : ''}

/** Takes a contrail through a step; false where it ends. */
fn lives_through(step_base: u32) -> bool {
  ${body}
}

@compute @workgroup_size(${WORKGROUP})
fn follow(
  @builtin(workgroup_id) group_id: vec3u, @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let group = group_id.x + group_id.y * groups.x;
  let at = group * ${WORKGROUP}u + local;
  let count = atomicLoad(&counts[0]);
  var is_living = at < count;
  var plume = 0u;
  if (is_living) {
  plume = alive[at];
  ${STATE_COLUMNS.map((column, k) => `${columnName(column)} = state[${k}u * area.capacity + plume];`).join('\n  ')}
  ${sums.map((name, k) => `s_${name} = state[${STATE_COLUMNS.length + k}u * area.capacity + plume];`).join('\n  ')}
  flags = u32(s_flags);
  origin = vec2f(c_longitude, c_latitude);
  drift = vec2f(s_east, s_north);
  ${isDirected ? LOAD_ENDS : 'c_length = 1.0;'}
  ${isDirected ? ONE_STEP : ALL_STEPS}
  s_flags = f32(flags);
  s_east = drift.x;
  s_north = drift.y;
  ${isDirected ? STORE_ENDS : ''}
  ${sums.map((name, k) => `state[${STATE_COLUMNS.length + k}u * area.capacity + plume] = s_${name};`).join('\n  ')}
  if (is_living) {
    c_longitude = origin.x;
    c_latitude = origin.y;
    ${STATE_COLUMNS.map((column, k) => `state[${k}u * area.capacity + plume] = ${columnName(column)};`).join('\n    ')}
  }
  }
  // Survivors keep their order: contrails that formed beside each other go on reading the same weather.
  let rank = rank_among_marked(is_living, local);
  if (is_living) { survivors[group * ${WORKGROUP}u + rank] = plume; }
  if (local == 0u && at < count) { atomicStore(&counts[${FIRST_COUNT}u + group], marked()); }
}
`;
}

const ALL_STEPS = `for (var step = steps.first; step < steps.end && is_living; step++) {
    is_living = lives_through(step * ${STEP_NUMBERS}u);
  }`;

/** Compilers take very long for a loop over steps with segments in it, so a dispatch has one step of them. */
const ONE_STEP = `is_living = lives_through(steps.first * ${STEP_NUMBERS}u);`;

const ENDS_OF_SEGMENT = ['head', 'tail'] as const;

const LOAD_ENDS = ENDS_OF_SEGMENT.map(
  (end) => `${end} = vec2f(s_${end}_east, s_${end}_north);
  ${end}_wind = vec2f(s_${end}_u, s_${end}_v);`,
)
  .concat('c_length = s_length;')
  .join('\n  ');

/** Keeps the ends of a segment. */
export const STORE_ENDS = ENDS_OF_SEGMENT.map(
  (end) =>
    `s_${end}_east = ${end}.x; s_${end}_north = ${end}.y; s_${end}_u = ${end}_wind.x; s_${end}_v = ${end}_wind.y;`,
)
  .concat('s_length = c_length;')
  .join('\n  ');

/** Groups that add up in which order survivors go on. */
const ADVANCING = 256;

/** The dispatches of `follow` and of `gather` are in this order in `dispatch`. */
const RELAY_TEXT = `
@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> dispatch: array<u32, 6>;
fn groups_of(count: u32) -> u32 { return (count + ${WORKGROUP - 1}u) / ${WORKGROUP}u; }
fn prepare(first: u32, groups: u32) {
  dispatch[first] = min(groups, ${MAX_GROUPS}u);
  dispatch[first + 1u] = (groups + ${MAX_GROUPS - 1}u) / ${MAX_GROUPS}u;
  dispatch[first + 2u] = 1u;
}`;

/** Takes up the contrails that formed. */
export const BEGIN_SHADER = `${RELAY_TEXT}
@compute @workgroup_size(1)
fn begin() {
  counts[0] = counts[1];
  prepare(0u, groups_of(counts[1]));
}
`;

/** After a dispatch, adds up the survivors of its groups; `gather` then makes them contiguous. */
export const ADVANCE_SHADER = `${RELAY_TEXT}
var<workgroup> sums: array<u32, ${ADVANCING}>;
@compute @workgroup_size(${ADVANCING})
fn advance(@builtin(local_invocation_index) local: u32) {
  let groups = groups_of(counts[0]);
  let share = (groups + ${ADVANCING - 1}u) / ${ADVANCING}u;
  let first = min(local * share, groups);
  let end = min(first + share, groups);
  var sum = 0u;
  for (var group = first; group < end; group++) { sum += counts[${FIRST_COUNT}u + group]; }
  sums[local] = sum;
  workgroupBarrier();
  var before = 0u;
  for (var other = 0u; other < local; other++) { before += sums[other]; }
  for (var group = first; group < end; group++) {
    let own = counts[${FIRST_COUNT}u + group];
    counts[${FIRST_COUNT}u + group] = before;
    before += own;
  }
  if (local == ${ADVANCING - 1}u) {
    counts[${FIRST_COUNT}u + groups] = before;
    counts[0] = before;
    counts[1] = groups;
    prepare(0u, groups_of(before));
    prepare(3u, groups);
  }
}
`;

/** Where the dispatch of `gather` begins [bytes]. */
export const GATHER_DISPATCH = 12;

export const GATHER_SHADER = `
@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read> survivors: array<u32>;
@group(0) @binding(2) var<storage, read_write> alive: array<u32>;
@compute @workgroup_size(${WORKGROUP})
fn gather(
  @builtin(workgroup_id) group_id: vec3u, @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let group = group_id.x + group_id.y * groups.x;
  if (group >= counts[1]) { return; }
  let first = counts[${FIRST_COUNT}u + group];
  if (local < counts[${FIRST_COUNT + 1}u + group] - first) {
    alive[first + local] = survivors[group * ${WORKGROUP}u + local];
  }
}
`;
