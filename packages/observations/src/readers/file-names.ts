/** What the names of the public archives say, so files can be grouped into frames before they are fetched or opened. */
import { basename } from 'node:path';
import { DAY_MS, MINUTE_MS } from '@contrails/runtime';
import type { BandRole } from '../frame/index.ts';
import { frameTimeOf, type Instrument } from '../frame/index.ts';
import type { GridName } from '../navigation/index.ts';
import { satelliteOf } from './satellites.ts';

export interface NamedFile {
  readonly name: string;
  readonly instrument: Instrument;
  /** Products of one frame that do not mix: `CMIPF`, `MCMIPF`, `RadF`, `FLDK`, `FDHSI`. */
  readonly product: string;
  /** Spacecraft: `G16`, `H09`, `MTI1`. */
  readonly platform: string;
  /** Where it looked from at the time, if it was in operation. */
  readonly satellite: GridName | undefined;
  /** Nominal time of its frame [ms since 1970]. */
  readonly time: number;
  /** The band it holds, for a file of one band that is used. */
  readonly role?: BandRole;
  /** Which part of the frame, or of the band, from 1. */
  readonly part?: number;
}

/** What a file name of an archive says; undefined for names of other kinds and for bands that are not used. */
export function parseFileName(path: string): NamedFile | undefined {
  const name = basename(path);
  return parseAbi(name) ?? parseAhi(name) ?? parseFci(name);
}

const ABI =
  /^OR_ABI-(?:L2|L1b)-(CMIPF|MCMIPF|RadF)-M\d+(?:C(\d\d))?_(G\d\d)_s(\d{4})(\d{3})(\d\d)(\d\d)(\d\d)(\d)_e\d+_c\d+\.nc$/;
const ABI_ROLES: Readonly<Record<string, BandRole>> = { '11': 'T8', '14': 'T11', '15': 'T12' };

function parseAbi(name: string): NamedFile | undefined {
  const match = ABI.exec(name);
  if (match === null) return undefined;
  const [, product = '', band, platform = '', ...digits] = match;
  const role = band === undefined ? undefined : ABI_ROLES[band];
  if ((band === undefined) !== (product === 'MCMIPF') || (band !== undefined && role === undefined))
    return undefined;
  const [year = 0, day = 0, hour = 0, minute = 0, second = 0, tenth = 0] = digits.map(Number);
  if (day < 1 || day > 366 || hour > 23 || minute > 59 || second > 60) return undefined;
  const startMs = Date.UTC(year, 0, 1, hour, minute, second, tenth * 100) + (day - 1) * DAY_MS;
  const time = frameTimeOf(startMs);
  return {
    name,
    instrument: 'ABI',
    product,
    platform,
    satellite: satelliteOf(platform, startMs),
    time,
    ...(role === undefined ? {} : { role }),
  };
}

const AHI = /^HS_(H\d\d)_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)_B(\d\d)_FLDK_R20_S(\d\d)(\d\d)\.DAT(?:\.bz2)?$/;

function parseAhi(name: string): NamedFile | undefined {
  const match = AHI.exec(name);
  if (match === null) return undefined;
  const [, platform = '', year, month, day, hour, minute, band = '', part] = match;
  const role = ABI_ROLES[band];
  if (role === undefined) return undefined;
  const startMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
  return {
    name,
    instrument: 'AHI',
    product: 'FLDK',
    platform,
    satellite: satelliteOf(platform, startMs),
    time: frameTimeOf(startMs),
    role,
    part: Number(part),
  };
}

const FCI =
  /[,_](MTI\d)\+FCI-1C-RRAD-FDHSI-FD--CHK-BODY-.*_(\d{4})(\d\d)(\d\d)(\d{6})_(\d{14})_N_.*_(\d{4})_(\d{4})\.nc$/;

function parseFci(name: string): NamedFile | undefined {
  const match = FCI.exec(name);
  if (match === null) return undefined;
  const [, platform = '', year, month, day, , , cycle, part] = match;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const time = midnight + (Number(cycle) - 1) * 10 * MINUTE_MS;
  return {
    name,
    instrument: 'FCI',
    product: 'FDHSI',
    platform,
    satellite: satelliteOf(platform, time),
    time,
    part: Number(part),
  };
}

/** The files of one frame among others. */
export interface FrameFiles {
  readonly satellite: GridName;
  readonly time: number;
  /** With the paths they were given as. */
  readonly paths: readonly string[];
  /** Whether all parts of both window channels are there. */
  readonly isComplete: boolean;
}

const SEGMENTS = 10;
const CHUNKS = 40;

/**
 * The frames that files belong to, by their names alone, in order of time. Other files are left out. Where an archive has
 * several products of a frame, the one with all bands in a file comes before the one with a file for each, and temperatures
 * before radiances.
 */
export function groupFrames(paths: readonly string[]): FrameFiles[] {
  const frames = new Map<string, { named: NamedFile; path: string }[]>();
  for (const path of paths) {
    const named = parseFileName(path);
    if (named?.satellite === undefined) continue;
    const key = [named.satellite, named.time, named.platform, named.product].join(' ');
    const files = frames.get(key);
    if (files === undefined) frames.set(key, [{ named, path }]);
    else files.push({ named, path });
  }
  const best = new Map<string, FrameFiles & { readonly rank: number }>();
  for (const files of frames.values()) {
    const [first] = files;
    if (first?.named.satellite === undefined) continue;
    const { satellite, time, product } = first.named;
    const isComplete = isWhole(files.map((file) => file.named));
    const rank = (isComplete ? 10 : 0) - PREFERENCE.indexOf(product);
    const key = `${satellite} ${time}`;
    const frame = {
      satellite,
      time,
      paths: latest(files)
        .map(({ path }) => path)
        .sort(),
      isComplete,
      rank,
    };
    if (rank > (best.get(key)?.rank ?? Number.NEGATIVE_INFINITY)) best.set(key, frame);
  }
  return [...best.values()]
    .map(({ rank: _, ...frame }) => frame)
    .sort((a, b) => a.time - b.time || a.satellite.localeCompare(b.satellite));
}

/** A chunk of FCI that was processed again has another time of processing in its name: the last one stays. */
function latest(files: readonly { named: NamedFile; path: string }[]) {
  if (files[0]?.named.instrument !== 'FCI') return files;
  const parts = new Map<number | undefined, { named: NamedFile; path: string }>();
  for (const file of files.toSorted((a, b) => (a.named.name < b.named.name ? -1 : 1)))
    parts.set(file.named.part, file);
  return [...parts.values()];
}

const PREFERENCE = ['MCMIPF', 'CMIPF', 'RadF', 'FLDK', 'FDHSI'];

function isWhole(files: readonly NamedFile[]): boolean {
  const parts = (role?: BandRole) =>
    new Set(files.flatMap((file) => (role === undefined || file.role === role ? [file.part ?? 0] : []))).size;
  switch (files[0]?.instrument) {
    case 'AHI':
      return parts('T11') === SEGMENTS && parts('T12') === SEGMENTS;
    case 'FCI':
      return parts() === CHUNKS;
    default:
      return files[0]?.product === 'MCMIPF' || (parts('T11') > 0 && parts('T12') > 0);
  }
}
