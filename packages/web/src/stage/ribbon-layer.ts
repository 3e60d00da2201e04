import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { mercatorPerPixel } from './mercator.ts';
import { linkProgram, visibleWorlds } from './program.ts';

/** A band along a line, as wide as it is in nature once that is more than a hair on the screen. */
export interface Ribbon {
  /** Mercator x and y of its points, in turn. */
  readonly points: Float32Array;
  /** On the mercator square. */
  readonly halfWidth: number;
  /** Red, green, blue and opacity in one number, the lowest byte first. */
  readonly color: number;
}

/** Of a ribbon that is narrower in nature [px]. */
const MIN_HALF_WIDTH_PX = 1.3;

/**
 * A point of the buffer is x, y, half of the width and the colour. An instance is the segment between two points; the points before
 * and after them bend its ends, so neighbours meet without a gap. A negative width marks the point that no segment begins at.
 */
const BYTES = 16;
const VERTEX = `#version 300 es
uniform mat4 u_matrix;
uniform float u_world;
uniform float u_min;
in vec2 a_corner;
in vec2 a_before;
in vec3 a_start;
in vec2 a_end;
in vec2 a_after;
in vec4 a_color;
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
  readonly array: WebGLVertexArrayObject;
  readonly corners: WebGLBuffer;
  readonly points: WebGLBuffer;
}

/** Draws tens of thousands of ribbons in one call; another set of them is one upload. */
export class RibbonLayer implements CustomLayerInterface {
  readonly id: string;
  readonly type = 'custom' as const;
  private map: MapLibreMap | undefined;
  private resources: Resources | undefined;
  /** Used again by the next set, and larger only where it is. */
  private bytes = new ArrayBuffer(0);
  private count = 0;
  private isStale = false;

  constructor(id: string) {
    this.id = id;
  }

  show(ribbons: readonly Ribbon[]): void {
    this.count = this.pack(ribbons);
    this.isStale = true;
    this.map?.triggerRepaint();
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
    this.isStale = true;
  }

  render(gl: WebGL2RenderingContext, { defaultProjectionData }: CustomRenderMethodInput): void {
    if (this.count < 4) return;
    this.resources ??= createResources(gl);
    const { program, matrix, world, min, array, points } = this.resources;
    if (this.isStale) {
      gl.bindBuffer(gl.ARRAY_BUFFER, points);
      gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(this.bytes, 0, BYTES * this.count), gl.DYNAMIC_DRAW);
      this.isStale = false;
    }
    gl.useProgram(program);
    gl.bindVertexArray(array);
    gl.uniformMatrix4fv(matrix, false, defaultProjectionData.mainMatrix as Float32List);
    gl.uniform1f(min, MIN_HALF_WIDTH_PX * mercatorPerPixel(this.map?.getZoom() ?? 0));
    for (const number of visibleWorlds(this.map)) {
      gl.uniform1f(world, number);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.count - 3);
    }
    gl.bindVertexArray(null);
  }

  /** Both ends of a line are there twice: the first and the last segment have a neighbour too. */
  private pack(ribbons: readonly Ribbon[]): number {
    let total = 0;
    for (const { points } of ribbons) total += points.length / 2 + 2;
    if (this.bytes.byteLength < BYTES * total) this.bytes = new ArrayBuffer(BYTES * Math.ceil(1.3 * total));
    const numbers = new Float32Array(this.bytes);
    const colors = new Uint32Array(this.bytes);
    let at = 0;
    const put = (points: Float32Array, k: number, halfWidth: number, color: number) => {
      numbers[at] = points[2 * k] as number;
      numbers[at + 1] = points[2 * k + 1] as number;
      numbers[at + 2] = halfWidth;
      colors[at + 3] = color;
      at += 4;
    };
    for (const { points, halfWidth, color } of ribbons) {
      const last = points.length / 2 - 1;
      put(points, 0, -1, color);
      for (let k = 0; k < last; k++) put(points, k, halfWidth, color);
      put(points, last, -1, color);
      put(points, last, -1, color);
    }
    return total;
  }
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
    const isColor = name === 'a_color';
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(
      location,
      size,
      isColor ? gl.UNSIGNED_BYTE : gl.FLOAT,
      isColor,
      BYTES,
      BYTES * point + offset,
    );
    gl.vertexAttribDivisor(location, 1);
  };
  attribute('a_before', 2, 0);
  attribute('a_start', 3, 1);
  attribute('a_color', 4, 1, 12);
  attribute('a_end', 2, 2);
  attribute('a_after', 2, 3);
  gl.bindVertexArray(null);
  const uniform = (name: string) => gl.getUniformLocation(program, name);
  return {
    ...{ gl, program, array, corners, points },
    matrix: uniform('u_matrix'),
    world: uniform('u_world'),
    min: uniform('u_min'),
  };
}
