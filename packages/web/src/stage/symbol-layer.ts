import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { mercatorPerPixel } from './mercator.ts';
import type { Pictures } from './pictures.ts';
import { linkProgram, visibleWorlds } from './program.ts';

/** Aircraft as they move. */
export interface Symbols {
  /** `SYMBOL_FIELDS` numbers for each. */
  readonly records: Float32Array;
  readonly count: number;
  /** What `seen` counts from [ms since 1970]. */
  readonly epochMs: number;
  /** The clock that symbols move by [ms since 1970]; undefined for a picture of one moment. */
  readonly clock: (() => number) | undefined;
}

/**
 * Mercator x and y, their change in a second, when it was there [s since the epoch], where it heads [rad clockwise from north], its
 * size [px], negative for a dot, and its colour: red, green, blue and opacity in one number, the lowest byte first.
 */
export const SYMBOL_FIELDS = 8;
const BYTES = 4 * SYMBOL_FIELDS;

/** An aircraft that is not heard of stays where it should be by then [s]. */
export const MAX_MOVED_S = 90;
/** Of a fast aircraft on the mercator square, at 50° [1/s]. */
const FAST = 1e-5;

const VERTEX = `#version 300 es
uniform mat4 u_matrix;
uniform float u_world;
uniform float u_pixel;
uniform float u_time;
in vec2 a_corner;
in vec2 a_position;
in vec2 a_motion;
in float a_seen;
in float a_heading;
in float a_size;
in vec4 a_color;
out vec4 v_color;
out vec2 v_texel;
void main() {
  v_color = a_color;
  v_texel = vec2(0.25 * (a_corner.x + 1.0) + (a_size < 0.0 ? 0.5 : 0.0), 0.5 * (a_corner.y + 1.0));
  vec2 turned = mat2(cos(a_heading), sin(a_heading), -sin(a_heading), cos(a_heading)) * a_corner;
  vec2 at = a_position + a_motion * clamp(u_time - a_seen, 0.0, ${MAX_MOVED_S}.0);
  at += 0.5 * abs(a_size) * u_pixel * turned;
  gl_Position = u_matrix * vec4(at.x + u_world, at.y, 0.0, 1.0);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
uniform sampler2D u_glyphs;
uniform vec3 u_edge;
in vec4 v_color;
in vec2 v_texel;
out vec4 color;
void main() {
  vec2 cover = texture(u_glyphs, v_texel).rg;
  if (cover.g < 0.02) discard;
  float opacity = v_color.a * cover.g;
  color = vec4(mix(u_edge, v_color.rgb, cover.r) * opacity, opacity);
}`;

interface Resources {
  readonly gl: WebGL2RenderingContext;
  readonly program: WebGLProgram;
  readonly uniforms: Readonly<
    Record<'u_matrix' | 'u_world' | 'u_pixel' | 'u_time' | 'u_glyphs' | 'u_edge', WebGLUniformLocation | null>
  >;
  readonly array: WebGLVertexArrayObject;
  readonly corners: WebGLBuffer;
  readonly records: WebGLBuffer;
  readonly glyphs: WebGLTexture;
}

/** Draws thousands of aircraft, and moves them between reports as often as that shows. */
export class SymbolLayer implements CustomLayerInterface {
  readonly id: string;
  readonly type = 'custom' as const;
  private readonly edge: readonly [red: number, green: number, blue: number];
  private readonly pictures: Pictures;
  private map: MapLibreMap | undefined;
  private resources: Resources | undefined;
  private symbols: Symbols | undefined;
  private isStale = false;

  constructor(id: string, edge: readonly [red: number, green: number, blue: number], pictures: Pictures) {
    this.id = id;
    this.edge = edge;
    this.pictures = pictures;
  }

  show(symbols: Symbols | undefined): void {
    this.symbols = symbols;
    this.isStale = true;
    this.pictures.ask();
  }

  onAdd(map: MapLibreMap): void {
    this.map = map;
  }

  onRemove(): void {
    this.map = undefined;
    if (this.resources === undefined) return;
    const { gl, program, array, corners, records, glyphs } = this.resources;
    gl.deleteProgram(program);
    gl.deleteVertexArray(array);
    gl.deleteBuffer(corners);
    gl.deleteBuffer(records);
    gl.deleteTexture(glyphs);
    this.resources = undefined;
    this.isStale = true;
  }

  render(gl: WebGL2RenderingContext, { defaultProjectionData }: CustomRenderMethodInput): void {
    const { symbols, map } = this;
    if (symbols === undefined || symbols.count === 0 || map === undefined) return;
    this.resources ??= createResources(gl);
    const { program, uniforms, array, records, glyphs } = this.resources;
    if (this.isStale) {
      gl.bindBuffer(gl.ARRAY_BUFFER, records);
      const used = symbols.records.subarray(0, SYMBOL_FIELDS * symbols.count);
      gl.bufferData(gl.ARRAY_BUFFER, used, gl.DYNAMIC_DRAW);
      this.isStale = false;
    }
    const pixel = mercatorPerPixel(map.getZoom());
    gl.useProgram(program);
    gl.bindVertexArray(array);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, glyphs);
    gl.uniformMatrix4fv(uniforms.u_matrix, false, defaultProjectionData.mainMatrix as Float32List);
    gl.uniform1i(uniforms.u_glyphs, 0);
    gl.uniform1f(uniforms.u_pixel, pixel);
    gl.uniform1f(uniforms.u_time, ((symbols.clock?.() ?? symbols.epochMs) - symbols.epochMs) / 1000);
    gl.uniform3f(uniforms.u_edge, ...this.edge);
    for (const number of visibleWorlds(map)) {
      gl.uniform1f(uniforms.u_world, number);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, symbols.count);
    }
    gl.bindVertexArray(null);
    this.pictures.drawn(gl, pixel, symbols.clock && FAST);
  }
}

function createResources(gl: WebGL2RenderingContext): Resources {
  const program = linkProgram(gl, VERTEX, FRAGMENT, 'aircraft');
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  const corners = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, corners);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
  const corner = gl.getAttribLocation(program, 'a_corner');
  gl.enableVertexAttribArray(corner);
  gl.vertexAttribPointer(corner, 2, gl.FLOAT, false, 0, 0);
  const records = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, records);
  const attribute = (name: string, size: number, field: number) => {
    const location = gl.getAttribLocation(program, name);
    const isColor = name === 'a_color';
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, isColor ? gl.UNSIGNED_BYTE : gl.FLOAT, isColor, BYTES, 4 * field);
    gl.vertexAttribDivisor(location, 1);
  };
  attribute('a_position', 2, 0);
  attribute('a_motion', 2, 2);
  attribute('a_seen', 1, 4);
  attribute('a_heading', 1, 5);
  attribute('a_size', 1, 6);
  attribute('a_color', 4, 7);
  gl.bindVertexArray(null);
  const uniform = (name: string) => gl.getUniformLocation(program, name);
  return {
    ...{ gl, program, array, corners, records, glyphs: createGlyphs(gl) },
    uniforms: {
      u_matrix: uniform('u_matrix'),
      u_world: uniform('u_world'),
      u_pixel: uniform('u_pixel'),
      u_time: uniform('u_time'),
      u_glyphs: uniform('u_glyphs'),
      u_edge: uniform('u_edge'),
    },
  };
}

const GLYPH_PX = 64;
/** An airliner from above, heading up, in units of a half of the picture. */
const AIRLINER =
  'M0 -.86 C.1 -.86 .13 -.66 .13 -.5 L.13 -.24 L.82 .22 L.82 .38 L.13 .16 L.1 .56 L.34 .74 L.34 .86 L0 .76 L-.34 .86 L-.34 .74 L-.1 .56 L-.13 .16 L-.82 .38 L-.82 .22 L-.13 -.24 L-.13 -.5 C-.13 -.66 -.1 -.86 0 -.86Z';

/** An aircraft and, right of it, a dot; green is where they are with their edge, red where they are without. */
function createGlyphs(gl: WebGL2RenderingContext): WebGLTexture {
  const canvas = document.createElement('canvas');
  canvas.width = 2 * GLYPH_PX;
  canvas.height = GLYPH_PX;
  const context = canvas.getContext('2d');
  if (context !== null) {
    context.fillRect(0, 0, canvas.width, canvas.height);
    const dot = new Path2D();
    dot.arc(0, 0, 0.36, 0, 2 * Math.PI);
    [new Path2D(AIRLINER), dot].forEach((path, k) => {
      context.setTransform(GLYPH_PX / 2, 0, 0, GLYPH_PX / 2, GLYPH_PX * (k + 0.5), GLYPH_PX / 2);
      context.lineWidth = 0.22;
      context.lineJoin = 'round';
      context.strokeStyle = '#0f0';
      context.stroke(path);
      context.fillStyle = '#ff0';
      context.fill(path);
    });
  }
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, canvas);
  gl.generateMipmap(gl.TEXTURE_2D);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  return texture;
}
