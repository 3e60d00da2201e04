import type { Map as MapLibreMap } from 'maplibre-gl';
import { type Grid, interpolatedAt } from '../grid/grid.ts';
import { latitudeOf, mercatorX, mercatorY } from './mercator.ts';

export interface WindField {
  readonly eastward: Grid;
  readonly northward: Grid;
}

interface Particle {
  /** Mercator position, 0…1 from west to east and from north to south. */
  x: number;
  y: number;
  age: number;
}

const PER_MEGAPIXEL = 1_600;
const MAX_PARTICLES = 3_000;
const MAX_AGE_FRAMES = 90;
/** Mercator distance per frame of a wind of 1 m/s at zoom 0; it shrinks with zoom, so speed on the screen stays. */
const STEP = 1e-4;
/** Share of a trail that remains after a frame; visible down to a tenth. */
const FADE = 0.93;
/** Pixels of the world at zoom 0. */
const WORLD_PX = 512;
const SAMPLE_SPEED = 30;

/** How long the trail of a particle is on the screen in a wind of this speed [m/s]. */
export const WIND_SAMPLE = {
  speed: SAMPLE_SPEED,
  lengthPx: Math.round((SAMPLE_SPEED * STEP * WORLD_PX * Math.log(0.1)) / Math.log(FADE)),
} as const;

/** Wind as particles that move over the map. The map neither rotates nor tilts, so a position is a shift and a scale. */
export class WindParticles {
  private readonly canvas: HTMLCanvasElement;
  private readonly map: MapLibreMap;
  private field: WindField | undefined;
  private color = 'rgb(255 255 255 / 0.55)';
  private particles: Particle[] = [];
  private frame = 0;
  private isMoving = false;

  constructor(map: MapLibreMap) {
    this.map = map;
    this.canvas = document.createElement('canvas');
    this.canvas.className = 'wind';
    this.canvas.setAttribute('aria-hidden', 'true');
    this.canvas.hidden = true;
    map.getCanvasContainer().append(this.canvas);
    map.on('movestart', () => {
      this.isMoving = true;
      this.clear();
    });
    map.on('moveend', () => {
      this.isMoving = false;
      this.scatter();
    });
    map.on('resize', () => this.scatter());
  }

  show(field: WindField | undefined, color = this.color): void {
    const isStarting = this.field === undefined && field !== undefined;
    this.field = field;
    this.color = color;
    this.canvas.hidden = field === undefined;
    if (field === undefined) {
      cancelAnimationFrame(this.frame);
      this.clear();
    } else if (isStarting) {
      this.scatter();
      this.frame = requestAnimationFrame(this.draw);
    }
  }

  /** What is drawn now goes into a picture of the map. */
  drawInto(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (this.field !== undefined) context.drawImage(this.canvas, 0, 0, width, height);
  }

  private clear(): void {
    this.canvas.getContext('2d')?.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  private scatter(): void {
    if (this.field === undefined) return;
    const { clientWidth, clientHeight } = this.map.getContainer();
    this.canvas.width = clientWidth;
    this.canvas.height = clientHeight;
    const count = Math.min((clientWidth * clientHeight * PER_MEGAPIXEL) / 1e6, MAX_PARTICLES);
    const view = this.view();
    this.particles = Array.from({ length: Math.round(count) }, () => place({ x: 0, y: 0, age: 0 }, view));
  }

  /** The part of the mercator square on the screen. */
  private view() {
    const bounds = this.map.getBounds();
    return {
      west: mercatorX(bounds.getWest()),
      east: mercatorX(bounds.getEast()),
      north: mercatorY(bounds.getNorth()),
      south: mercatorY(bounds.getSouth()),
    };
  }

  private readonly draw = (): void => {
    const { field, canvas } = this;
    if (field === undefined) return;
    this.frame = requestAnimationFrame(this.draw);
    const context = canvas.getContext('2d');
    if (context === null || this.isMoving) return;
    context.globalCompositeOperation = 'destination-in';
    context.fillStyle = `rgb(0 0 0 / ${FADE})`;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.globalCompositeOperation = 'source-over';
    context.strokeStyle = this.color;
    context.lineWidth = 1.1;
    context.beginPath();
    const view = this.view();
    const perX = canvas.width / (view.east - view.west);
    const perY = canvas.height / (view.south - view.north);
    const step = STEP / 2 ** this.map.getZoom();
    for (const particle of this.particles) {
      const latitude = latitudeOf(particle.y);
      const longitude = (particle.x - 0.5) * 360;
      const east = interpolatedAt(field.eastward, longitude, latitude);
      const north = interpolatedAt(field.northward, longitude, latitude);
      const [x, y] = [particle.x + east * step, particle.y - north * step];
      particle.age += 1;
      const isOutside = x < view.west || x > view.east || y < view.north || y > view.south;
      if (particle.age > MAX_AGE_FRAMES || isOutside || Number.isNaN(east + north)) {
        place(particle, view);
        continue;
      }
      context.moveTo((particle.x - view.west) * perX, (particle.y - view.north) * perY);
      context.lineTo((x - view.west) * perX, (y - view.north) * perY);
      particle.x = x;
      particle.y = y;
    }
    context.stroke();
  };
}

function place(
  particle: Particle,
  view: { west: number; east: number; north: number; south: number },
): Particle {
  particle.x = view.west + Math.random() * (view.east - view.west);
  particle.y = view.north + Math.random() * (view.south - view.north);
  particle.age = Math.floor(Math.random() * MAX_AGE_FRAMES);
  return particle;
}
