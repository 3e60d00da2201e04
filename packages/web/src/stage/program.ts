/** What layers of our own share: programs of the graphics card, and the copies of the world that are in view. */
import type { Map as MapLibreMap } from 'maplibre-gl';

export function linkProgram(
  gl: WebGL2RenderingContext,
  vertex: string,
  fragment: string,
  what: string,
): WebGLProgram {
  const program = gl.createProgram();
  attach(gl, program, gl.VERTEX_SHADER, vertex);
  attach(gl, program, gl.FRAGMENT_SHADER, fragment);
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    throw new Error(`the map cannot draw ${what}: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}

function attach(gl: WebGL2RenderingContext, program: WebGLProgram, kind: number, source: string): void {
  const shader = gl.createShader(kind);
  if (shader === null) throw new Error('the graphics context is lost');
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  gl.attachShader(program, shader);
  gl.deleteShader(shader);
}

/** Numbers of the copies of the world in view; 0 is the one from 180° west to 180° east. */
export function visibleWorlds(map: MapLibreMap | undefined): number[] {
  const bounds = map?.getBounds();
  const first = Math.floor(((bounds?.getWest() ?? -180) + 180) / 360);
  const last = Math.floor(((bounds?.getEast() ?? 179) + 180) / 360);
  return Array.from({ length: last - first + 1 }, (_, k) => first + k);
}
