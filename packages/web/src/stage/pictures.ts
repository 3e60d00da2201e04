import type { Map as MapLibreMap } from 'maplibre-gl';

const [MIN_FRAME_MS, MAX_FRAME_MS] = [33, 5000];
/** How often the graphics card is asked whether it is done. */
const LOOK_MS = 16;

/**
 * When the map is drawn again: after a change, and while something on it moves. The next picture waits until the graphics card is
 * done with the last one, because a page that sends more than can be drawn is blocked until there is room.
 */
export class Pictures {
  private readonly map: MapLibreMap;
  private fence: { readonly gl: WebGL2RenderingContext; readonly sync: WebGLSync } | undefined;
  private looking: ReturnType<typeof setTimeout> | undefined;
  private moving: ReturnType<typeof setTimeout> | undefined;
  private movingMs = Number.POSITIVE_INFINITY;
  private isWanted = false;

  constructor(map: MapLibreMap) {
    this.map = map;
  }

  /** Something has changed. */
  ask(): void {
    if (this.fence === undefined) this.map.triggerRepaint();
    else this.isWanted = true;
  }

  /** A layer was drawn, and is again when what moves at a speed has moved by half a pixel, both on the mercator square [1/s]. */
  drawn(gl: WebGL2RenderingContext, pixel: number, speed: number | undefined): void {
    this.awaitCard(gl);
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (speed === undefined || isStill || document.hidden) return;
    const pauseMs = Math.min(Math.max((500 * pixel) / speed, MIN_FRAME_MS), MAX_FRAME_MS);
    if (this.movingMs <= performance.now() + pauseMs) return;
    clearTimeout(this.moving);
    this.movingMs = performance.now() + pauseMs;
    this.moving = setTimeout(() => {
      this.movingMs = Number.POSITIVE_INFINITY;
      this.ask();
    }, pauseMs);
  }

  private awaitCard(gl: WebGL2RenderingContext): void {
    const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (sync === null) return;
    gl.flush();
    this.release();
    this.fence = { gl, sync };
    clearTimeout(this.looking);
    this.looking = setTimeout(() => this.look(), LOOK_MS);
  }

  private look(): void {
    if (this.fence === undefined) return;
    const { gl, sync } = this.fence;
    if (!gl.isContextLost() && gl.getSyncParameter(sync, gl.SYNC_STATUS) === gl.UNSIGNALED) {
      this.looking = setTimeout(() => this.look(), LOOK_MS);
      return;
    }
    this.release();
    if (!this.isWanted) return;
    this.isWanted = false;
    this.map.triggerRepaint();
  }

  private release(): void {
    if (this.fence !== undefined) this.fence.gl.deleteSync(this.fence.sync);
    this.fence = undefined;
  }
}
