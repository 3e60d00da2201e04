import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { mercatorPerPixel } from './mercator.ts';
import type { Pictures } from './pictures.ts';
import { linkProgram, visibleWorlds } from './program.ts';

/** Contrails as they drift. */
export interface Ribbons {
  readonly ribbons: readonly Ribbon[];
  /** The clock that ribbons drift by [ms since 1970]; undefined for a picture of one moment. */
  readonly clock: (() => number) | undefined;
}

/** A band along a line, as wide as it is in nature once that is more than a hair on the screen. */
export interface Ribbon {
  /** Mercator x and y of its points, in turn. */
  readonly points: Float32Array;
  /** How far it drifts in a second, on the mercator square. */
  readonly moveX: number;
  readonly moveY: number;
  /** When it was there [ms since 1970]. */
  readonly seenMs: number;
  /** On the mercator square. */
  readonly halfWidth: number;
  /** Red, green, blue and opacity in one number, the lowest byte first. */
  readonly color: number;
}

/** Of a ribbon that is narrower in nature [px]. */
const MIN_HALF_WIDTH_PX = 1.3;
/** Points of a line that are nearer to one another on the screen make no difference [px]. */
const MIN_STEP_PX = 2;
/** A ribbon that is not heard of stays where it should be by then [s]. */
const MAX_DRIFT_S = 300;
/** Beyond every wind, on the mercator square: 250 m/s at 80° [1/s]. */
const MAX_MOVE = 4e-5;
/** Of a fast contrail, at 50° [1/s]. */
const FAST = 2e-6;

/**
 * A point of the buffer is x, y, half of the width, the colour and the drift. An instance is the segment between two points; the points before
 * and after them bend its ends, so neighbours meet without a gap. A negative width marks the point that no segment begins at.
 */
const BYTES = 20;
const VERTEX = `#version 300 es
uniform mat4 u_matrix;
uniform float u_world;
uniform float u_min;
uniform float u_seconds;
in vec2 a_corner;
in vec2 a_before;
in vec3 a_start;
in vec2 a_end;
in vec2 a_after;
in vec4 a_color;
in vec2 a_move;
out vec4 v_color;
out float v_side;
vec2 across(vec2 from, vec2 to) {
  vec2 along = to - from;
  float size = length(along);
  return size > 0.0 ? vec2(-along.y, along.x) / size : vec2(0.0);
}
void main() {
  v_color = a_color;
  v_side = a_corner.y;
  if (a_start.z < 0.0) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  vec2 own = across(a_start.xy, a_end);
  vec2 other = a_corner.x < 0.5 ? across(a_before, a_start.xy) : across(a_end, a_after);
  vec2 bent = other == vec2(0.0) ? own : normalize(own + other + 1e-6 * own);
  float stretch = 1.0 / max(dot(bent, own), 0.5);
  vec2 at = mix(a_start.xy, a_end, a_corner.x) + bent * stretch * a_corner.y * max(a_start.z, u_min);
  at += a_move * ${MAX_MOVE} * u_seconds;
  gl_Position = u_matrix * vec4(at.x + u_world, at.y, 0.0, 1.0);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 v_color;
in float v_side;
out vec4 color;
void main() {
  float opacity = v_color.a * (1.0 - smoothstep(0.55, 1.0, abs(v_side)));
  color = vec4(v_color.rgb * opacity, opacity);
}`;

interface Resources {
  readonly gl: WebGL2RenderingContext;
  readonly program: WebGLProgram;
  readonly matrix: WebGLUniformLocation | null;
  readonly world: WebGLUniformLocation | null;
  readonly min: WebGLUniformLocation | null;
  readonly seconds: WebGLUniformLocation | null;
  readonly array: WebGLVertexArrayObject;
  readonly corners: WebGLBuffer;
  readonly points: WebGLBuffer;
}

/** Draws tens of thousands of ribbons in one call; another set of them is one upload. */
export class RibbonLayer implements CustomLayerInterface {
  readonly id: string;
  readonly type = 'custom' as const;
  private readonly pictures: Pictures;
  private map: MapLibreMap | undefined;
  private resources: Resources | undefined;
  /** Used again by the next set, and larger only where it is. */
  private bytes = new ArrayBuffer(0);
  private count = 0;
  private ribbons: readonly Ribbon[] = [];
  /** Undefined until the ribbons are in the buffer. */
  private packedZoom: number | undefined;
  private clock: Ribbons['clock'];
  /** When all ribbons are where the buffer has them [ms since 1970]. */
  private epochMs = 0;

  constructor(id: string, pictures: Pictures) {
    this.id = id;
    this.pictures = pictures;
  }

  show({ ribbons, clock }: Ribbons): void {
    this.clock = clock;
    this.epochMs = clock?.() ?? 0;
    this.ribbons = ribbons;
    this.packedZoom = undefined;
    this.pictures.ask();
  }

  onAdd(map: MapLibreMap): void {
    this.map = map;
  }

  onRemove(): void {
    if (this.resources === undefined) return;
    const { gl, program, array, corners, points } = this.resources;
    gl.deleteProgram(program);
    gl.deleteVertexArray(array);
    gl.deleteBuffer(corners);
    gl.deleteBuffer(points);
    this.resources = undefined;
    this.packedZoom = undefined;
  }

  render(gl: WebGL2RenderingContext, { defaultProjectionData }: CustomRenderMethodInput): void {
    const { map, clock } = this;
    if (this.ribbons.length === 0 || map === undefined) return;
    this.resources ??= createResources(gl);
    const { program, matrix, world, min, seconds, array, points } = this.resources;
    const zoom = Math.ceil(map.getZoom());
    if (this.packedZoom !== zoom) {
      this.packedZoom = zoom;
      this.count = this.pack(this.ribbons, MIN_STEP_PX * mercatorPerPixel(zoom));
      gl.bindBuffer(gl.ARRAY_BUFFER, points);
      gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(this.bytes, 0, BYTES * this.count), gl.DYNAMIC_DRAW);
    }
    gl.useProgram(program);
    gl.bindVertexArray(array);
    gl.uniformMatrix4fv(matrix, false, defaultProjectionData.mainMatrix as Float32List);
    const pixel = mercatorPerPixel(map.getZoom());
    gl.uniform1f(min, MIN_HALF_WIDTH_PX * pixel);
    gl.uniform1f(seconds, clock === undefined ? 0 : driftSeconds(this.epochMs, clock()));
    for (const number of visibleWorlds(map)) {
      gl.uniform1f(world, number);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.count - 3);
    }
    gl.bindVertexArray(null);
    this.pictures.drawn(gl, pixel, clock && FAST);
  }

  /**
   * Both ends of a line are there twice: the first and the last segment have a neighbour too. Ribbons of several moments are
   * brought to one, and points that are nearer to the last one than a step are left out.
   */
  private pack(ribbons: readonly Ribbon[], minStep: number): number {
    let total = 0;
    for (const { points } of ribbons) total += points.length / 2 + 2;
    if (this.bytes.byteLength < BYTES * total) this.bytes = new ArrayBuffer(BYTES * Math.ceil(1.3 * total));
    const numbers = new Float32Array(this.bytes);
    const others = new Uint32Array(this.bytes);
    let at = 0;
    let [shiftX, shiftY, move] = [0, 0, 0];
    const put = (points: Float32Array, k: number, halfWidth: number, color: number) => {
      numbers[at] = (points[2 * k] as number) + shiftX;
      numbers[at + 1] = (points[2 * k + 1] as number) + shiftY;
      numbers[at + 2] = halfWidth;
      others[at + 3] = color;
      others[at + 4] = move;
      at += 5;
    };
    for (const { points, halfWidth, color, moveX, moveY, seenMs } of ribbons) {
      const seconds = this.clock === undefined ? 0 : driftSeconds(seenMs, this.epochMs);
      [shiftX, shiftY, move] = [seconds * moveX, seconds * moveY, packedMove(moveX, moveY)];
      const last = points.length / 2 - 1;
      put(points, 0, -1, color);
      let before = 0;
      for (let k = 0; k < last; k++) {
        const stepX = Math.abs((points[2 * k] as number) - (points[2 * before] as number));
        const stepY = Math.abs((points[2 * k + 1] as number) - (points[2 * before + 1] as number));
        if (k > 0 && stepX + stepY < minStep) continue;
        put(points, k, halfWidth, color);
        before = k;
      }
      put(points, last, -1, color);
      put(points, last, -1, color);
    }
    return at / (BYTES / 4);
  }
}

/** For how long something has drifted since it was seen [s]. */
export function driftSeconds(seenMs: number, nowMs: number): number {
  return Math.min(Math.max((nowMs - seenMs) / 1000, 0), MAX_DRIFT_S);
}

/** Shares of the largest drift as two numbers of 16 bits, x first. */
function packedMove(moveX: number, moveY: number): number {
  const part = (move: number) => Math.round(32_767 * Math.min(Math.max(move / MAX_MOVE, -1), 1)) & 0xffff;
  return (part(moveX) | (part(moveY) << 16)) >>> 0;
}

function createResources(gl: WebGL2RenderingContext): Resources {
  const program = linkProgram(gl, VERTEX, FRAGMENT, 'contrails');
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  const corners = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, corners);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 0, 1, 1, -1, 1, 1]), gl.STATIC_DRAW);
  const corner = gl.getAttribLocation(program, 'a_corner');
  gl.enableVertexAttribArray(corner);
  gl.vertexAttribPointer(corner, 2, gl.FLOAT, false, 0, 0);
  const points = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, points);
  const attribute = (name: string, size: number, point: number, offset = 0) => {
    const location = gl.getAttribLocation(program, name);
    const type = name === 'a_color' ? gl.UNSIGNED_BYTE : name === 'a_move' ? gl.SHORT : gl.FLOAT;
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, type, type !== gl.FLOAT, BYTES, BYTES * point + offset);
    gl.vertexAttribDivisor(location, 1);
  };
  attribute('a_before', 2, 0);
  attribute('a_start', 3, 1);
  attribute('a_color', 4, 1, 12);
  attribute('a_move', 2, 1, 16);
  attribute('a_end', 2, 2);
  attribute('a_after', 2, 3);
  gl.bindVertexArray(null);
  const uniform = (name: string) => gl.getUniformLocation(program, name);
  return {
    ...{ gl, program, array, corners, points },
    matrix: uniform('u_matrix'),
    world: uniform('u_world'),
    min: uniform('u_min'),
    seconds: uniform('u_seconds'),
  };
}
