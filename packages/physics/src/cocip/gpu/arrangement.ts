/**
 * Layout of the weather of a time in the memory of a device: [level][latitude][longitude], so neighbouring contrails read
 * neighbouring memory. A point is two vectors: its air, and its motion.
 */
import type { GpuField } from './weather.ts';

/** Functions that find the variables of a level around `corner`. */
export const POINTS_TEXT = `
fn points_of(level: u32) -> vec4u { return 2u * corner + vec4u(level * area.level_stride); }
/** Temperature, u, v and humidity of a level. */
fn air_of(level: u32, later: f32) -> vec4f { return between(points_of(level), later); }
/** Pressure velocity and cirrus of a level. */
fn motion_of(level: u32, later: f32) -> vec2f { return between(points_of(level) + vec4u(1u), later).xy; }`;

/** Numbers of a point as it is given, [latitude][longitude][level][variable], and as it is arranged. */
export const GIVEN_NUMBERS = 6;
const ARRANGED_NUMBERS = 8;

type Map = Pick<GpuField, 'longitude' | 'latitude' | 'level'>;

const columnsOf = ({ longitude, latitude }: Map) => longitude.knots.length * latitude.knots.length;

/** Bytes of the weather of a time on the device. */
export const arrangedBytes = (map: Map): number =>
  4 * columnsOf(map) * map.level.knots.length * ARRANGED_NUMBERS;

/** From a level to the next one, in vectors. */
export const levelStride = (map: Map): number => 2 * columnsOf(map);

/** Invocations of a group that arranges points. */
export const ARRANGING_GROUP = 256;

/** Puts points that were given into their places. */
export const ARRANGE_SHADER = `
struct Chunk { first: u32, count: u32, levels: u32, level_stride: u32 }
@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> given: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> arranged: array<vec4f>;
@compute @workgroup_size(${ARRANGING_GROUP})
fn arrange(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= chunk.count) { return; }
  let point = chunk.first + id.x;
  let to = 2u * (point / chunk.levels) + (point % chunk.levels) * chunk.level_stride;
  arranged[to] = vec4f(given[3u * id.x], given[3u * id.x + 1u]);
  arranged[to + 1u] = vec4f(given[3u * id.x + 2u], 0.0, 0.0);
}
`;
