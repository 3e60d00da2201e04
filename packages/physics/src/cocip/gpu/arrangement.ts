/** How the weather of a time lies in the memory of a device. */
import type { GpuField } from './weather.ts';

/**
 * `columns`: as it is given, [latitude][longitude][level][variable], in pairs of variables; `points`: the same with the air of a
 * point in one vector and its motion in another; `planes`: such points as [level][latitude][longitude], so contrails that are
 * beside each other read what lies beside each other.
 */
export const ARRANGEMENTS = ['columns', 'points', 'planes'] as const;
export type Arrangement = (typeof ARRANGEMENTS)[number];

/** What a shader reads at once. */
export const ELEMENTS: Readonly<Record<Arrangement, 'vec2f' | 'vec4f'>> = {
  columns: 'vec2f',
  points: 'vec4f',
  planes: 'vec4f',
};

const POINTS_TEXT = `
/** Temperature, u, v and humidity of a level. */
fn air_of(level: u32, later: f32) -> vec4f { return between(points_of(level), later); }
/** Pressure velocity and cirrus of a level. */
fn motion_of(level: u32, later: f32) -> vec2f { return between(points_of(level) + vec4u(1u), later).xy; }`;

/** Functions that find the variables of a level around `corner`. */
export const VARIABLES_TEXT: Readonly<Record<Arrangement, string>> = {
  columns: `
fn air_of(level: u32, later: f32) -> vec4f {
  let at = points_of(level);
  return vec4f(between(at, later), between(at + vec4u(1u), later));
}
fn motion_of(level: u32, later: f32) -> vec2f { return between(points_of(level) + vec4u(2u), later); }`,
  points: POINTS_TEXT,
  planes: POINTS_TEXT,
};

/** Numbers of a point as it is given, and as it is arranged in two vectors. */
export const GIVEN_NUMBERS = 6;
const ARRANGED_NUMBERS = 8;

type Map = Pick<GpuField, 'longitude' | 'latitude' | 'level'>;

const pointsOf = ({ longitude, latitude, level }: Map) =>
  longitude.knots.length * latitude.knots.length * level.knots.length;

/** Bytes of the weather of a time on the device. */
export function arrangedBytes(arrangement: Arrangement, map: Map): number {
  return 4 * pointsOf(map) * (arrangement === 'columns' ? GIVEN_NUMBERS : ARRANGED_NUMBERS);
}

/** From a column of the map to the next one, and from a level to the next one, in what a shader reads at once. */
export function stridesOf(
  arrangement: Arrangement,
  { longitude, latitude, level }: Map,
): { readonly column_stride: number; readonly level_stride: number } {
  const levels = level.knots.length;
  const columns = longitude.knots.length * latitude.knots.length;
  switch (arrangement) {
    case 'columns':
      return { column_stride: 3 * levels, level_stride: 3 };
    case 'points':
      return { column_stride: 2 * levels, level_stride: 2 };
    case 'planes':
      return { column_stride: 2, level_stride: 2 * columns };
  }
}

/** Invocations of a group that arranges points. */
export const ARRANGING_GROUP = 256;

/** Puts points that were given into their places. */
export const ARRANGE_SHADER = `
struct Chunk { first: u32, count: u32, levels: u32, column_stride: u32, level_stride: u32 }
@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> given: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> arranged: array<vec4f>;
@compute @workgroup_size(${ARRANGING_GROUP})
fn arrange(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= chunk.count) { return; }
  let point = chunk.first + id.x;
  let to = (point / chunk.levels) * chunk.column_stride + (point % chunk.levels) * chunk.level_stride;
  arranged[to] = vec4f(given[3u * id.x], given[3u * id.x + 1u]);
  arranged[to + 1u] = vec4f(given[3u * id.x + 2u], 0.0, 0.0);
}
`;
