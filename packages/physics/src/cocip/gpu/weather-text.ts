/** What the shaders of grids share: what is bound, how weather is interpolated, and how a contrail is described in it. */
import type { LoopBody } from '../../vector/expression.ts';
import { columnName } from '../../vector/wgsl/loop.ts';
import { WGSL_FUNCTIONS } from '../../vector/wgsl/math.ts';
import { PLUME_STAGES } from '../vector/index.ts';
import { PARAMETER_COUNT } from '../vector/parameters.ts';
import { POINTS_TEXT } from './arrangement.ts';
import type { StageWriter } from './stages.ts';

/** Invocations that a device runs together. */
export const WORKGROUP = 128;
/** Most groups in one direction of a dispatch. */
export const MAX_GROUPS = 32_768;

/** Counts behind those of contrails: of cells without weather by level in formation, of survivors by group afterwards. */
export const FIRST_COUNT = 2;

/** Of a contrail: where it drifts is unknown; it has no air below, or its segment no wind; its last forcing is unknown. */
export const FLAGS = { adrift: 1, lost: 2, unforced: 4 } as const;

/** Numbers of a step: those of the stages, its start, and the weights of the later of two times. */
export const STEP_NUMBERS = PARAMETER_COUNT + 3;
export const FROM_MS = PARAMETER_COUNT;
export const WEATHER_WEIGHT = PARAMETER_COUNT + 1;
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
  // From a level to the next one, in the weather on the device.
  ['level_stride', 'u32'],
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
  // Of segments: the share of the shear that is normal to those without a direction, and the rest of those with one.
  ['shear_share', 'f32'],
  ['lead_m', 'f32'],
  ['per_metre', 'f32'],
  ['max_length', 'f32'],
  ['step_s', 'f32'],
  ['max_age', 'f32'],
  ['min_tau', 'f32'],
  ['max_tau', 'f32'],
  ['min_particles', 'f32'],
  ['max_particles', 'f32'],
  ['min_altitude', 'f32'],
  ['max_altitude', 'f32'],
  // Contrails that there is room for.
  ['capacity', 'u32'],
  // Where in the numbers that are looked up the levels of the weather begin, and those of the cells.
  ['levels_at', 'u32'],
  ['cells_at', 'u32'],
  // Cells of the grid.
  ['cell_columns', 'u32'],
  ['cell_rows', 'u32'],
  ['cell_levels', 'u32'],
] as const;
export type LayoutField = (typeof LAYOUT_FIELDS)[number][0];

/** Fields of the uniform of a dispatch: steps, whether there is radiation, and for formation the rows of cells. */
const DISPATCH_FIELDS = ['first', 'end', 'has_radiation', 'first_row', 'end_row'] as const;

/** What shaders of grids share. */
export const WEATHER_TEXT = `
${WGSL_FUNCTIONS}
struct Layout { ${LAYOUT_FIELDS.map(([name, type]) => `${name}: ${type}`).join(', ')} }
struct Dispatch { ${DISPATCH_FIELDS.map((name) => `${name}: u32`).join(', ')} }
@group(0) @binding(0) var<uniform> area: Layout;
@group(0) @binding(1) var<uniform> steps: Dispatch;
@group(0) @binding(2) var<storage, read> parameters: array<f32>;
@group(0) @binding(3) var<storage, read> records: array<f32>;
@group(0) @binding(4) var<storage, read> early: array<vec4f>;
@group(0) @binding(5) var<storage, read> late: array<vec4f>;
@group(0) @binding(6) var<storage, read> radiation_early: array<vec2f>;
@group(0) @binding(7) var<storage, read> radiation_late: array<vec2f>;
@group(0) @binding(8) var<storage, read_write> state: array<f32>;
@group(0) @binding(10) var<storage, read_write> survivors: array<u32>;
/** Contrails of this dispatch, those that formed, and the others. */
@group(0) @binding(11) var<storage, read_write> counts: array<atomic<u32>>;

var<private> corner: vec4u;
var<private> weight: vec4f;
/** Temperature, u, v and humidity on the level above and on the level below. */
var<private> air_above: vec4f;
var<private> air_below: vec4f;

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
  // Longitudes of a region across the antimeridian go on beyond 180.
  let turned = vec2f(select(point.x, point.x + 360.0, point.x + offset.x < west), point.y);
  let start = (turned - vec2f(west, south)) * per_degree;
  let whole = floor(start);
  let parts = (start - whole) + offset * per_degree;
  let moved = whole + floor(parts);
  let cell = clamp(moved, vec2f(0.0), vec2f(f32(columns - 2u), f32(rows - 2u)));
  let weights = parts - floor(parts) + (moved - cell);
  let first = u32(cell.y) * columns + u32(cell.x);
  corner = vec4u(first, first + 1u, first + columns, first + columns + 1u);
  let others = 1.0 - weights;
  weight = vec4f(others.x * others.y, weights.x * others.y, others.x * weights.y, weights.x * weights.y);
  let at = turned + offset;
  return at.x >= west && at.x <= east && at.y >= south && at.y <= north;
}

/** Variables between the columns of the grid and between two times; at: of each column. */
fn between(at: vec4u, later: f32) -> vec4f {
  return (early[at.x] * weight.x + early[at.y] * weight.y + early[at.z] * weight.z + early[at.w] * weight.w) * (1.0 - later)
    + (late[at.x] * weight.x + late[at.y] * weight.y + late[at.z] * weight.z + late[at.w] * weight.w) * later;
}
${POINTS_TEXT}
/** The air on both levels of a layer; \`first\` is 1 where that of the upper level is known from the layer above. */
fn sample_layer(k: i32, first: u32, later: f32) {
  for (var level = first; level < 2u; level++) {
    air_above = air_below;
    air_below = air_of(u32(k) + level, later);
  }
}
/** Pressure velocity and cirrus in a layer. */
fn motion_in(k: i32, part: f32, later: f32) -> vec2f {
  var motion = vec2f(0.0);
  for (var level = 0u; level < 2u; level++) {
    motion += motion_of(u32(k) + level, later) * select(1.0 - part, part, level == 1u);
  }
  return motion;
}

fn knot(k: i32) -> f32 { return records[area.levels_at + u32(k)]; }
/** The layer that holds a level [hPa], looked for from another layer on; -1 outside. */
fn layer_of(level: f32, start: i32) -> i32 {
  let last = i32(area.levels) - 2;
  if (!(level >= knot(0) && level <= knot(last + 1) && level >= area.top && level <= area.bottom)) { return -1; }
  var k = start;
  while (k > 0 && knot(k) > level) { k--; }
  while (k < last && knot(k + 1) <= level) { k++; }
  return k;
}
fn weight_below(level: f32, k: i32) -> f32 {
  let above = knot(k);
  return (level - above) / (knot(k + 1) - above);
}

var<workgroup> marks: array<atomic<u32>, ${WORKGROUP / 32}>;
/** How many invocations of the group before this one are marked. All of them call it. */
fn rank_among_marked(is_marked: bool, local: u32) -> u32 {
  if (is_marked) { atomicOr(&marks[local / 32u], 1u << (local % 32u)); }
  workgroupBarrier();
  var rank = countOneBits(atomicLoad(&marks[local / 32u]) & ((1u << (local % 32u)) - 1u));
  for (var word = 0u; word < local / 32u; word++) { rank += countOneBits(atomicLoad(&marks[word])); }
  return rank;
}
fn marked() -> u32 {
  var count = 0u;
  for (var word = 0u; word < ${WORKGROUP / 32}u; word++) { count += countOneBits(atomicLoad(&marks[word])); }
  return count;
}
`;

/** Air of a layer `k` at `c_level`: all variables, or temperature, wind and humidity alone. */
export const airAt = (k: string, withMotion: boolean): string => `
    {
      // What is found is kept for a second look a little below.
      sample_layer(${k}, 0u, time_weight);
      let part = weight_below(c_level, ${k});
      let air = mix(air_above, air_below, part);
      c_temperature = air.x;
      c_u = air.y;
      c_v = air.z;
      c_humidity = air.w;
      ${
        withMotion
          ? `let motion = motion_in(${k}, part, time_weight);
      c_omega = motion.x;
      c_cirrusOpticalDepth = motion.y;`
          : ''
      }
    }`;

/** Temperature and wind at `c_levelBelow`, where the layer `k` has been sampled; sets `has_below`. */
export const airBelow = (k: string): string => `
    {
      let k_below = layer_of(c_levelBelow, ${k});
      has_below = k_below >= 0;
      if (has_below) {
        // Mostly this layer or the next one.
        if (k_below != ${k}) { sample_layer(k_below, select(0u, 1u, k_below == ${k} + 1), time_weight); }
        let air = mix(air_above, air_below, weight_below(c_levelBelow, k_below));
        c_temperatureBelow = air.x;
        c_uBelow = air.y;
        c_vBelow = air.z;
        has_below = !(is_nan(c_temperatureBelow) || is_nan(c_uBelow) || is_nan(c_vBelow));
      }
    }`;

/** Writes each stage as its own block. */
export function stageText(writer: StageWriter): {
  (name: keyof typeof PLUME_STAGES): string;
  (name: string, body: LoopBody<string>): string;
} {
  return (name: string, body: LoopBody<string> = PLUME_STAGES[name as keyof typeof PLUME_STAGES]) =>
    `{\n${writer.write(name, body)}\n}`;
}

/**
 * Properties and forcing of a contrail at `origin + drift` in the layer `k`, whose air and ice are known, and whose segment is
 * measured if it has a direction; sets `found_flags`.
 */
export function describeContrail(stage: ReturnType<typeof stageText>, isDirected: boolean): string {
  return `
    ${stage('shine')}
    let has_motion = !(is_nan(c_u) || is_nan(c_v) || is_nan(c_omega));
    let has_cirrus = !is_nan(c_cirrusOpticalDepth);
    var has_below = false;
    ${airBelow('k')}
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
    ${stage('describeSurroundings')}
    ${stage('describePlumes')}
    if (is_forced) ${stage('force')}
    ${isDirected ? stage('shearAcrossChain') : 'c_normalShear = area.shear_share * c_shear;'}
    let found_flags = select(${FLAGS.adrift}u, 0u, has_motion) | select(${FLAGS.lost}u, 0u, has_below)
      | select(${FLAGS.unforced}u, 0u, is_forced);`;
}

/**
 * Variables of the columns and of what is added up. What uses them are functions that return where a contrail ends: compilers take
 * several times as long for one function that has to come to its end.
 */
export const declared = (columns: Iterable<string>, sums: readonly string[]): string =>
  [...columns]
    .map(columnName)
    .concat(sums.map((name) => `s_${name}`))
    .map((name) => `var<private> ${name}: f32;`)
    .join('\n');
