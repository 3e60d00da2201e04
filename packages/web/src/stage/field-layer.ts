import type { CustomLayerInterface, CustomRenderMethodInput, Map as MapLibreMap } from 'maplibre-gl';
import { type Grid, texelsOf } from '../grid/grid.ts';
import { type ColorScale, lookupTable } from './color-scale.ts';
import { linkProgram, visibleWorlds } from './program.ts';

/**
 * Latitude is computed for the edges of thin strips and is linear between them: in a strip of two degrees that is exact to a
 * hundredth of a degree, and it spares every pixel two transcendental functions.
 */
const STRIPS = 180;
const FADE_MS = 300;

const VERTEX = `#version 300 es
uniform mat4 u_matrix;
uniform float u_world;
uniform vec2 u_size;
in vec2 a_corner;
out vec2 v_cell;
const float PI = 3.141592653589793;
void main() {
  float latitude = atan(sinh(PI * (1.0 - 2.0 * a_corner.y))) / PI + 0.5;
  v_cell = vec2(latitude * (u_size.x - 1.0) + 0.5, a_corner.x * u_size.y + 0.5) / u_size;
  gl_Position = u_matrix * vec4(a_corner.x + u_world, a_corner.y, 0.0, 1.0);
}`;

/** Rows of the texture are meridians and its columns parallels, as the service sends them. */
const FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D u_field;
uniform sampler2D u_colors;
uniform float u_opacity;
in vec2 v_cell;
out vec4 color;
void main() {
  vec2 texel = texture(u_field, v_cell).rg;
  if (texel.g < 0.5) discard;
  color = texelFetch(u_colors, ivec2(255.0 * texel.r / texel.g + 0.5, 0), 0);
  if (color.a == 0.0) discard;
  color *= u_opacity;
}`;

interface Resources {
  readonly gl: WebGL2RenderingContext;
  readonly program: WebGLProgram;
  readonly uniforms: Readonly<
    Record<
      'u_matrix' | 'u_world' | 'u_field' | 'u_colors' | 'u_opacity' | 'u_size',
      WebGLUniformLocation | null
    >
  >;
  readonly corner: number;
  readonly corners: WebGLBuffer;
  readonly field: WebGLTexture;
  readonly colors: WebGLTexture;
}

/**
 * Draws one level of a variable over the globe. Values are interpolated before they are coloured, so contours stay
 * sharp at any zoom, and another level costs one upload.
 */
export class FieldLayer implements CustomLayerInterface {
  readonly id: string;
  readonly type = 'custom' as const;
  private map: MapLibreMap | undefined;
  private resources: Resources | undefined;
  private grid: Grid | undefined;
  private scale: ColorScale | undefined;
  private isStale = false;
  /** When the field began to fade [ms of the page]; undefined while it is shown. */
  private fadingSinceMs: number | undefined;

  constructor(id: string) {
    this.id = id;
  }

  show(grid: Grid | undefined, scale: ColorScale | undefined): void {
    this.isStale ||= grid !== this.grid || scale !== this.scale;
    this.grid = grid;
    this.scale = scale;
    this.fadingSinceMs = undefined;
    this.map?.triggerRepaint();
  }

  /** Lets what is shown disappear until the next field comes. */
  fade(): void {
    this.fadingSinceMs ??= performance.now();
    this.map?.triggerRepaint();
  }

  onAdd(map: MapLibreMap): void {
    this.map = map;
  }

  onRemove(): void {
    if (this.resources === undefined) return;
    const { gl, program, corners, field, colors } = this.resources;
    gl.deleteProgram(program);
    gl.deleteBuffer(corners);
    gl.deleteTexture(field);
    gl.deleteTexture(colors);
    this.resources = undefined;
    this.isStale = true;
  }

  render(gl: WebGL2RenderingContext, { defaultProjectionData }: CustomRenderMethodInput): void {
    const { grid, scale } = this;
    if (grid === undefined || scale === undefined) return;
    const opacity = this.opacity();
    if (opacity === 0) return;
    // Shaders take long to compile without a graphics card, and most layers are never shown.
    this.resources ??= createResources(gl);
    const { resources } = this;
    const { program, uniforms, corners, corner, field, colors } = resources;
    if (this.isStale) this.upload(gl, resources, grid, scale);
    bindTexture(gl, 1, colors);
    bindTexture(gl, 0, field);
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.u_matrix, false, defaultProjectionData.mainMatrix as Float32List);
    gl.uniform1i(uniforms.u_field, 0);
    gl.uniform1i(uniforms.u_colors, 1);
    gl.uniform1f(uniforms.u_opacity, opacity);
    gl.uniform2f(uniforms.u_size, grid.rows, grid.columns);
    gl.bindBuffer(gl.ARRAY_BUFFER, corners);
    gl.enableVertexAttribArray(corner);
    gl.vertexAttribPointer(corner, 2, gl.FLOAT, false, 0, 0);
    for (const world of visibleWorlds(this.map)) {
      gl.uniform1f(uniforms.u_world, world);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 2 * (STRIPS + 1));
    }
  }

  private opacity(): number {
    if (this.fadingSinceMs === undefined) return 1;
    const share = (performance.now() - this.fadingSinceMs) / FADE_MS;
    if (share >= 1) return 0;
    this.map?.triggerRepaint();
    return 1 - share;
  }

  private upload(
    gl: WebGL2RenderingContext,
    { field, colors }: Resources,
    { values, rows, columns, texels }: Grid,
    scale: ColorScale,
  ): void {
    const drawn = texels ?? texelsOf(values, scale.scale);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    bindTexture(gl, 0, field);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RG8, rows, columns, 0, gl.RG, gl.UNSIGNED_BYTE, drawn);
    bindTexture(gl, 1, colors);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, lookupTable(scale));
    this.isStale = false;
  }
}

function bindTexture(gl: WebGL2RenderingContext, unit: number, texture: WebGLTexture): void {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, texture);
}

function createResources(gl: WebGL2RenderingContext): Resources {
  const program = linkProgram(gl, VERTEX, FRAGMENT, 'grids');
  const corners = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, corners);
  gl.bufferData(gl.ARRAY_BUFFER, stripCorners(), gl.STATIC_DRAW);
  const uniform = (name: string) => gl.getUniformLocation(program, name);
  return {
    gl,
    program,
    uniforms: {
      u_matrix: uniform('u_matrix'),
      u_world: uniform('u_world'),
      u_field: uniform('u_field'),
      u_colors: uniform('u_colors'),
      u_opacity: uniform('u_opacity'),
      u_size: uniform('u_size'),
    },
    corner: gl.getAttribLocation(program, 'a_corner'),
    corners,
    field: createTexture(gl, gl.REPEAT),
    colors: createTexture(gl, gl.CLAMP_TO_EDGE),
  };
}

/** West and east ends of the edges of all strips, from north to south. */
function stripCorners(): Float32Array<ArrayBuffer> {
  const edges = Array.from({ length: STRIPS + 1 }, (_, k) => k / STRIPS);
  return new Float32Array(edges.flatMap((y) => [0, y, 1, y]));
}

function createTexture(gl: WebGL2RenderingContext, wrapMeridians: number): WebGLTexture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, wrapMeridians);
  return texture;
}
