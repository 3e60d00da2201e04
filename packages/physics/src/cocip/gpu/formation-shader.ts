/** The shader that forms contrails: one invocation has one cell, and stores the contrail that is left after the wake. */
import type { HumidityColumn } from '../../humidity-scaling/vector.ts';
import type { LoopBody } from '../../vector/expression.ts';
import { columnName } from '../../vector/wgsl/loop.ts';
import { CRUISE_COLUMNS, FORMATION_STAGES, SOURCE_COLUMNS } from '../vector/formation.ts';
import { CRUISE_AXIS } from './cruise-table.ts';
import { STATE_COLUMNS, SUMS } from './shader.ts';
import type { StageWriter } from './stages.ts';
import {
  airAt,
  airBelow,
  declared,
  describeContrail,
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

/** Counts before those of the cells without weather, one for each level. */
export const FIRST_OUTSIDE = 2;

/** The source is what the contrail leaves behind: columns of the cell and the columns that hold them first. */
const LEFT_BEHIND = {
  sourceTemperature: 'temperature',
  sourceHumidity: 'humidity',
  sourcePressure: 'pressure',
  sourceDensity: 'density',
  sourceSaturation: 'saturation',
} as const satisfies Record<(typeof SOURCE_COLUMNS)[number], string>;

/** Text of the shader for a correction of humidity. */
export function formationShader(scaling: LoopBody<HumidityColumn>, writer: StageWriter): string {
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
  if (!is_known) { atomicAdd(&counts[${FIRST_OUTSIDE}u + level], 1u); return; }
  let has_wind = !(is_nan(c_u) || is_nan(c_v));
  ${stage('scale', scaling)}
  let warmth = (c_temperature - ${coldestK}.0) * ${perK}.0;
  if (warmth > ${count - 1}.0) { return; }
  let entry = clamp(floor(warmth), 0.0, ${count - 2}.0);
  let part = max(warmth - entry, 0.0);
  let row = area.cells_at + area.cell_levels + area.cell_columns + area.cell_rows
    + (level * ${count}u + u32(entry)) * ${CRUISE_COLUMNS.length}u;
  ${CRUISE_COLUMNS.map((name, k) => `${columnName(name)} = mix(records[row + ${k}u], records[row + ${k + CRUISE_COLUMNS.length}u], part);`).join('\n  ')}
  ${stage('meetCriterion', FORMATION_STAGES.meetCriterion)}
  if (c_isFormed == 0.0) { return; }
  ${stage('describeAir')}
  ${SOURCE_COLUMNS.map((name) => `${columnName(name)} = ${columnName(LEFT_BEHIND[name])};`).join('\n  ')}
  {
    var has_below = false;
    ${airBelow('k_source')}
    if (!has_below) { return; }
  }
  ${stage('sinkInWake', FORMATION_STAGES.sinkInWake)}
  let k = layer_of(c_level, k_source);
  if (k < 0 || (c_isSheared == 1.0 && !has_wind)) { return; }
  ${airAt('k', true)}
  if (is_nan(c_temperature) || is_nan(c_humidity)) { return; }
  ${stage('scaleLowered', scaling)}
  ${stage('makeIce', FORMATION_STAGES.makeIce)}
  if (c_isPersistent == 0.0) { return; }
  c_sineOfLatitude = sine_of(radians(c_latitude));
  c_cosineOfLatitude = cosine_of(radians(c_latitude));
  ${stage('describeAir')}
  ${describeContrail(stage)}`;
  const sums: Readonly<Partial<Record<(typeof SUMS)[number], string>>> = { flags: 'f32(found_flags)' };
  return `
${WEATHER_TEXT}
/** Of each contrail, in which cell it formed. */
@group(0) @binding(9) var<storage, read_write> cells: array<u32>;

@compute @workgroup_size(${WORKGROUP})
fn form(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let at = id.x + id.y * groups.x * ${WORKGROUP}u;
  let level = (at / ${SIDE * SIDE}u) % area.cell_levels;
  let block = at / (${SIDE * SIDE}u * area.cell_levels);
  let across = (area.cell_columns + ${SIDE - 1}u) / ${SIDE}u;
  let i = (block % across) * ${SIDE}u + at % ${SIDE}u;
  let j = steps.first_row + (block / across) * ${SIDE}u + (at / ${SIDE}u) % ${SIDE}u;
  if (i >= area.cell_columns || j >= steps.end_row) { return; }
  ${declared(new Set([...writer.columns, ...STATE_COLUMNS]))}
  ${body}
  let plume = atomicAdd(&counts[1], 1u);
  // The others are formed again in a second run over fewer cells.
  if (plume >= area.capacity) { return; }
  ${STATE_COLUMNS.map((column, k) => `state[${k}u * area.capacity + plume] = ${columnName(column)};`).join('\n  ')}
  ${SUMS.map((name, k) => `state[${STATE_COLUMNS.length + k}u * area.capacity + plume] = ${sums[name] ?? '0.0'};`).join('\n  ')}
  cells[plume] = (i * area.cell_rows + j) * area.cell_levels + level;
  survivors[plume] = plume;
}
`;
}
