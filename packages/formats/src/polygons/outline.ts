import { type Ring, signedArea } from './ring.ts';

/** Size of a grid cell in degrees. */
export interface Cell {
  readonly width: number;
  readonly height: number;
}

/**
 * The outline of a region: the polygon through the centres of its border cells, moved outwards by half a cell, with every
 * quarter of a circle drawn as one chord. `corners` is a closed ring of cell centres, counter-clockwise; one cell is the
 * ring of one position given twice. The result runs counter-clockwise.
 */
export function outlineOf(corners: Ring, cell: Cell): Ring {
  return outlinePoints(corners, cell, 'dents').close();
}

/** An outline with all centres of border cells inside. */
export interface OutlineAround {
  readonly ring: Ring;
  /** For each position of the ring the centre of the cell that it goes round. */
  readonly centres: Float64Array;
}

/** The same with blunt ends of spikes, so the centres of their last cells lie inside as well. */
export function outlineAround(corners: Ring, cell: Cell): OutlineAround {
  const points = outlinePoints(corners, cell, 'blunt');
  return { ring: points.close(), centres: points.closeCentres() };
}

function outlinePoints(corners: Ring, cell: Cell, spikes: 'dents' | 'blunt'): Points {
  const d = Math.min(cell.width, cell.height) / 2;
  const count = corners.length / 2 - 1;
  if (count > 3 || (count === 3 && shortSides(corners, cell) < (spikes === 'dents' ? 2 : 3)))
    return expandedPoints(corners, d, spikes);
  const points = new Points(18, d);
  if (count === 1) drawDiamond(points, corners, d);
  else if (count === 2) drawLine(points, corners, d);
  else drawAngle(points, corners, d);
  return points;
}

/**
 * A ring moved outwards by `d`. Rings that enclose nothing (lines, trees) get blunt ends and begin behind the first; the
 * ends of spikes on others are dents, as in the reference.
 */
export function expanded(corners: Ring, d: number): Ring {
  return expandedPoints(corners, d, 'dents').close();
}

function expandedPoints(corners: Ring, d: number, spikes: 'dents' | 'blunt'): Points {
  const points = new Points(3 * (corners.length / 2 - 1), d);
  const enclosesArea = signedArea(corners) > 1e-6 * d * d;
  const tip = enclosesArea && spikes === 'dents' ? -d : d;
  const leg = new Leg();
  const next = new Leg();
  const last = corners.length - 2;
  leg.set(corners, last - 2, last);
  for (let k = 0; k < last; k += 2) {
    next.set(corners, k, k + 2);
    const x = corners[k] as number;
    const y = corners[k + 1] as number;
    points.goRound(x, y);
    drawCorner(points, x, y, leg, next, d, tip);
    if (k === 0 && !enclosesArea) points.beginHere();
    leg.copy(next);
  }
  return points;
}

/** What the outline does at one corner, to the right of the way; `tip` is how far it goes beyond the end of a spike. */
function drawCorner(points: Points, x: number, y: number, leg: Leg, next: Leg, d: number, tip: number): void {
  const startX = x + (d * leg.dy) / leg.length;
  const startY = y - (d * leg.dx) / leg.length;
  const endX = x + (d * next.dy) / next.length;
  const endY = y - (d * next.dx) / next.length;
  const cross = leg.ux * next.uy - leg.uy * next.ux;
  if (cross < -STRAIGHT) {
    const along =
      ((endX - startX) * next.dy - (endY - startY) * next.dx) / (leg.dx * next.dy - leg.dy * next.dx);
    points.add(startX + along * leg.dx, startY + along * leg.dy);
    return;
  }
  points.add(startX, startY);
  if (cross > STRAIGHT) drawFillet(points, x, y, startX, startY, endX, endY, d);
  else points.add(x + tip * leg.ux, y + tip * leg.uy);
  points.add(endX, endY);
}

/**
 * Points between the two ends of a chord. A turn by 135° has one or none, as round-off decides; the arithmetic is that of
 * the reference, which computes the angles from the rounded points.
 */
function drawFillet(
  points: Points,
  x: number,
  y: number,
  startX: number,
  startY: number,
  endX: number,
  endY: number,
  d: number,
): void {
  let start = Math.atan2(startY - y, startX - x);
  const end = Math.atan2(endY - y, endX - x);
  if (start >= end) start -= 2 * Math.PI;
  const angle = Math.abs(start - end);
  const chords = Math.trunc(angle / (Math.PI / 2) + 0.5);
  for (let k = 1; k < chords; k++) {
    const direction = start + (k * angle) / chords;
    points.add(x + d * Math.cos(direction), y + d * Math.sin(direction));
  }
}

function drawDiamond(points: Points, corners: Ring, d: number): void {
  const x = corners[0] as number;
  const y = corners[1] as number;
  points.goRound(x, y);
  points.add(x + d, y);
  points.add(x, y + d);
  points.add(x - d, y);
  points.add(x, y - d);
}

function drawLine(points: Points, corners: Ring, d: number): void {
  const leg = new Leg();
  leg.set(corners, 0, 2);
  points.addBeside(corners, 2, leg, 0, d);
  points.addBeside(corners, 0, leg, 0, d);
  points.addBeside(corners, 0, leg, -d, 0);
  points.addBeside(corners, 0, leg, 0, -d);
  points.addBeside(corners, 2, leg, 0, -d);
  points.addBeside(corners, 2, leg, d, 0);
}

/** Three corners one cell apart make a bent band along their first two sides; the third side is ignored. */
function drawAngle(points: Points, corners: Ring, d: number): void {
  const leg = new Leg();
  const next = new Leg();
  leg.set(corners, 0, 2);
  next.set(corners, 2, 4);
  const bendX = corners[2] as number;
  const bendY = corners[3] as number;
  const reach = d / (1 + leg.ux * next.ux + leg.uy * next.uy);
  const backward = reach * (leg.ux * next.uy - leg.uy * next.ux);
  const meetsFirstEnd = backward > leg.length && leg.length <= next.length;
  const meetsSecondEnd = backward > next.length && !meetsFirstEnd;

  if (meetsFirstEnd) addChordMeeting(points, corners, 0, leg, -1, 2, next, d);
  else if (meetsSecondEnd) addChordMeeting(points, corners, 4, next, 1, 2, leg, d);
  else {
    points.goRound(bendX, bendY);
    points.add(bendX - reach * (leg.uy + next.uy), bendY + reach * (leg.ux + next.ux));
  }
  if (!meetsFirstEnd) points.addBeside(corners, 0, leg, 0, d);
  points.addBeside(corners, 0, leg, -d, 0);
  points.addBeside(corners, 0, leg, 0, -d);
  points.goRound(bendX, bendY);
  drawCorner(points, bendX, bendY, leg, next, d, d);
  points.addBeside(corners, 4, next, 0, -d);
  points.addBeside(corners, 4, next, d, 0);
  if (!meetsSecondEnd) points.addBeside(corners, 4, next, 0, d);
}

/**
 * Where the inner side of one leg meets the chord that ends the other, shorter leg: `end` is the free end of that leg, and
 * `outward` is 1 where its direction leads out there, −1 where it leads in.
 */
function addChordMeeting(
  points: Points,
  corners: Ring,
  end: number,
  short: Leg,
  outward: number,
  bend: number,
  long: Leg,
  d: number,
): void {
  const sideX = (corners[end] as number) - d * short.uy;
  const sideY = (corners[end + 1] as number) + d * short.ux;
  const chordX = d * (outward * short.ux + short.uy);
  const chordY = d * (outward * short.uy - short.ux);
  const offX = sideX - ((corners[bend] as number) - d * long.uy);
  const offY = sideY - ((corners[bend + 1] as number) + d * long.ux);
  const along = -(offX * long.uy - offY * long.ux) / (chordX * long.uy - chordY * long.ux);
  points.goRound(corners[end] as number, corners[end + 1] as number);
  points.add(sideX + along * chordX, sideY + along * chordY);
}

/**
 * How many sides of a triangle are one cell long, also across corners. With two of them the reference takes it for a
 * bent line; one whose third side is longer has a cell in the middle of that side. Larger triangles have an inside worth
 * keeping.
 */
function shortSides(corners: Ring, { width, height }: Cell): number {
  let short = 0;
  for (let k = 0; k < 6; k += 2) {
    const dx = Math.abs((corners[k + 2] as number) - (corners[k] as number));
    const dy = Math.abs((corners[k + 3] as number) - (corners[k + 1] as number));
    if (dx < 1.5 * width && dy < 1.5 * height) short++;
  }
  return short;
}

/** Sine of a turn that is none. */
const STRAIGHT = 1e-6;

/** A straight piece of a border. */
class Leg {
  dx = 0;
  dy = 0;
  length = 0;
  /** Unit vector of its direction. */
  ux = 0;
  uy = 0;

  set(corners: Ring, from: number, to: number): void {
    this.dx = (corners[to] as number) - (corners[from] as number);
    this.dy = (corners[to + 1] as number) - (corners[from + 1] as number);
    this.length = Math.sqrt(this.dx * this.dx + this.dy * this.dy);
    this.ux = this.dx / this.length;
    this.uy = this.dy / this.length;
  }

  copy(other: Leg): void {
    this.dx = other.dx;
    this.dy = other.dy;
    this.length = other.length;
    this.ux = other.ux;
    this.uy = other.uy;
  }
}

/** Positions of a ring under construction; one that repeats its predecessor is left out. */
class Points {
  private readonly values: Float64Array;
  private readonly centres: Float64Array;
  private readonly nearSquared: number;
  private centreX = 0;
  private centreY = 0;
  private used = 0;
  private begin = 0;

  constructor(capacity: number, d: number) {
    this.values = new Float64Array(2 * capacity + 2);
    this.centres = new Float64Array(2 * capacity + 2);
    this.nearSquared = (1e-6 * d) ** 2;
  }

  /** Positions that follow go round the cell with this centre. */
  goRound(x: number, y: number): void {
    this.centreX = x;
    this.centreY = y;
  }

  add(x: number, y: number): void {
    if (this.used > 0 && this.isLast(x, y)) return;
    this.centres[this.used] = this.centreX;
    this.centres[this.used + 1] = this.centreY;
    this.values[this.used++] = x;
    this.values[this.used++] = y;
  }

  /** `along` the leg and `left` of it, from one of its corners. */
  addBeside(corners: Ring, at: number, leg: Leg, along: number, left: number): void {
    this.goRound(corners[at] as number, corners[at + 1] as number);
    this.add(
      (corners[at] as number) + along * leg.ux - left * leg.uy,
      (corners[at + 1] as number) + along * leg.uy + left * leg.ux,
    );
  }

  /** Makes the newest position the first of the ring. */
  beginHere(): void {
    this.begin = this.used - 2;
  }

  close(): Ring {
    const x = this.values[0] as number;
    const y = this.values[1] as number;
    if (this.isLast(x, y)) this.used -= 2;
    return this.closed(this.values);
  }

  /** Of the ring that was closed. */
  closeCentres(): Float64Array {
    return this.closed(this.centres);
  }

  private closed(values: Float64Array): Float64Array {
    const ring = new Float64Array(this.used + 2);
    ring.set(values.subarray(this.begin, this.used));
    ring.set(values.subarray(0, this.begin + 2), this.used - this.begin);
    return ring;
  }

  private isLast(x: number, y: number): boolean {
    const dx = x - (this.values[this.used - 2] as number);
    const dy = y - (this.values[this.used - 1] as number);
    return dx * dx + dy * dy < this.nearSquared;
  }
}
