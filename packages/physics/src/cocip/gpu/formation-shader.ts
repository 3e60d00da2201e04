/** The shader that forms contrails: one invocation has one cell, and stores the contrail that is left after the wake. */
import type { HumidityColumn } from '../../humidity-scaling/vector.ts';
import type { LoopBody } from '../../vector/expression.ts';
import { columnName } from '../../vector/wgsl/loop.ts';
import { CRUISE_COLUMNS, FORMATION_STAGES, SOURCE_COLUMNS } from '../vector/formation.ts';
import { CRUISE_AXIS } from './cruise-table.ts';
import { ENDS_TEXT, FIND_END_WINDS, measureEnds } from './segment-text.ts';
import { STATE_COLUMNS, STORE_ENDS, sumsOf } from './shader.ts';
import type { StageWriter } from './stages.ts';
import {
  airAt,
  airBelow,
  declared,
  describeContrail,
  FIRST_COUNT,
  stageText,
  WEATHER_TEXT,
  WEATHER_WEIGHT,
  WORKGROUP,
} from './weather-text.ts';

/**
 * Cells are taken in blocks of so many columns and rows with all their levels. Neighbours mostly form contrails or not alike, so
 * invocations that run together do the same, and read the same weather, also when their contrails are followed.
 */
const SIDE = 4;

/** Invocations that cells of some rows need. */
export function invocations(columns: number, rows: number, levels: number): number {
  return Math.ceil(columns / SIDE) * Math.ceil(rows / SIDE) * SIDE * SIDE * levels;
}

/** The source is what the contrail leaves behind: columns of the cell and the columns that hold them first. */
const LEFT_BEHIND = {
  sourceTemperature: 'temperature',
  sourceHumidity: 'humidity',
  sourcePressure: 'pressure',
  sourceDensity: 'density',
  sourceSaturation: 'saturation',
} as const satisfies Record<(typeof SOURCE_COLUMNS)[number], string>;

/** Text of the shader for a correction of humidity. */
export function formationShader(
  scaling: LoopBody<HumidityColumn>,
  writer: StageWriter,
  isDirected: boolean,
): string {
  const stage = stageText(writer);
  const { coldestK, perK, count } = CRUISE_AXIS;
  const body = `
  let step_base = 0u;
  let time_weight = parameters[${WEATHER_WEIGHT}u];
  c_level = records[area.cells_at + level];
  c_longitude = records[area.cells_at + area.cell_levels + i];
  c_latitude = records[area.cells_at + area.cell_levels + area.cell_columns + j];
  c_pressure = 100.0 * c_level;
  let origin = vec2f(c_longitude, c_latitude);
  let drift = vec2f(0.0);
  let k_source = layer_of(c_level, 0);
  var is_known = locate(origin, drift, false) && k_source >= 0;
  if (is_known) {
    ${airAt('k_source', false)}
    is_known = !(is_nan(c_temperature) || is_nan(c_humidity));
  }
  if (!is_known) { atomicAdd(&counts[${FIRST_COUNT}u + level], 1u); return false; }
  let has_wind = !(is_nan(c_u) || is_nan(c_v));
  ${stage('scale', scaling)}
  let warmth = (c_temperature - ${coldestK}.0) * ${perK}.0;
  if (warmth > ${count - 1}.0) { return false; }
  let entry = clamp(floor(warmth), 0.0, ${count - 2}.0);
  let part = max(warmth - entry, 0.0);
  let cruise = area.cells_at + area.cell_levels + area.cell_columns + area.cell_rows;
  let row = cruise + (level * ${count}u + u32(entry)) * ${CRUISE_COLUMNS.length}u;
  ${CRUISE_COLUMNS.map((name, k) => `${columnName(name)} = mix(records[row + ${k}u], records[row + ${k + CRUISE_COLUMNS.length}u], part);`).join('\n  ')}
  ${stage('meetCriterion', FORMATION_STAGES.meetCriterion)}
  if (c_isFormed == 0.0) { return false; }
  ${stage('describeAir')}
  ${SOURCE_COLUMNS.map((name) => `${columnName(name)} = ${columnName(LEFT_BEHIND[name])};`).join('\n  ')}
  {
    var has_below = false;
    ${airBelow('k_source')}
    if (!has_below) { return false; }
  }
  ${stage('sinkInWake', FORMATION_STAGES.sinkInWake)}
  let k = layer_of(c_level, k_source);
  if (k < 0 || (c_isSheared == 1.0 && !has_wind)) { return false; }
  ${airAt('k', true)}
  if (is_nan(c_temperature) || is_nan(c_humidity)) { return false; }
  ${stage('scaleLowered', scaling)}
  ${stage('makeIce', FORMATION_STAGES.makeIce)}
  if (c_isPersistent == 0.0) { return false; }
  c_sineOfLatitude = sine_of(radians(c_latitude));
  c_cosineOfLatitude = cosine_of(radians(c_latitude));
  ${stage('describeAir')}
  ${
    isDirected
      ? `let ends = cruise + area.cell_levels * ${count * CRUISE_COLUMNS.length}u + 4u * j;
  let head = vec2f(records[ends], records[ends + 1u]);
  let tail = vec2f(records[ends + 2u], records[ends + 3u]);
  ${measureEnds(stage)}`
      : ''
  }
  ${describeContrail(stage, isDirected)}
  var flags = found_flags;
  ${isDirected ? START_ENDS : ''}
  s_flags = f32(flags);
  return true;`;
  return `
${WEATHER_TEXT}
/** Of each contrail, in which cell it formed. */
@group(0) @binding(9) var<storage, read_write> cells: array<u32>;
var<workgroup> first_of_group: u32;
${isDirected ? ENDS_TEXT : ''}
${declared(new Set([...writer.columns, ...STATE_COLUMNS, ...CRUISE_COLUMNS]), sumsOf(isDirected))}

/** Whether a contrail forms in a cell. */
fn is_formed_in(i: u32, j: u32, level: u32) -> bool {
  ${body}
}

@compute @workgroup_size(${WORKGROUP})
fn form(
  @builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let at = id.x + id.y * groups.x * ${WORKGROUP}u;
  let level = (at / ${SIDE * SIDE}u) % area.cell_levels;
  let block = at / (${SIDE * SIDE}u * area.cell_levels);
  let across = (area.cell_columns + ${SIDE - 1}u) / ${SIDE}u;
  let i = (block % across) * ${SIDE}u + at % ${SIDE}u;
  let j = steps.first_row + (block / across) * ${SIDE}u + (at / ${SIDE}u) % ${SIDE}u;
  var is_formed = i < area.cell_columns && j < steps.end_row;
  if (is_formed) { is_formed = is_formed_in(i, j, level); }
  // Contrails of neighbouring cells are neighbours when they are followed.
  let rank = rank_among_marked(is_formed, local);
  if (local == 0u) { first_of_group = atomicAdd(&counts[1], marked()); }
  workgroupBarrier();
  let plume = first_of_group + rank;
  // The others are formed again in a second run over fewer cells.
  if (!is_formed || plume >= area.capacity) { return; }
  ${STATE_COLUMNS.map((column, k) => `state[${k}u * area.capacity + plume] = ${columnName(column)};`).join('\n  ')}
  ${sumsOf(isDirected)
    .map((name, k) => `state[${STATE_COLUMNS.length + k}u * area.capacity + plume] = s_${name};`)
    .join('\n  ')}
  cells[plume] = (i * area.cell_rows + j) * area.cell_levels + level;
  survivors[plume] = plume;
}
`;
}

/** Ends of a young segment, once it is measured. When its middle forms, the head is still to come and the tail is older. */
const START_ENDS = `
  var head_wind = vec2f(0.0);
  var tail_wind = vec2f(0.0);
  ${FIND_END_WINDS}
  s_lead = area.lead_m / c_trueAirspeed;
  ${STORE_ENDS}`;
