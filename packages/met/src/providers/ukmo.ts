import { HOUR_MS } from '@contrails/runtime';
import type { PlannedFile, Provider, RemotePart, Wants } from '../sync/provider.ts';
import type { Remote } from '../sync/remote.ts';
import type { UkmoField, UkmoJob } from './convert-ukmo.ts';
import { bytesRead, convertedRuns } from './converted-runs.ts';
import { type ListedObjects, listObjects } from './list-objects.ts';
import { compactRun, stepsUpTo } from './run-names.ts';

/** What the files hold, by the names that occur. */
const PARAMETERS: Readonly<Record<UkmoField, readonly string[]>> = {
  temperature: ['temperature'],
  humidity: ['relative_humidity'],
  speed: ['wind_speed'],
  direction: ['wind_direction'],
  height: ['geopotential_height', 'height_ASL'],
};
const ROLES = Object.keys(PARAMETERS) as UkmoField[];
const VERTICAL = 'wind_vertical_velocity';
/** Vertical velocity on one level, as published, is far smaller than a field on all levels. */
const MIN_VERTICAL_SHARE = 0.8;
/** Levels in a file, of which the wanted ones are read. */
const STORED_LEVELS = 33;
const FOLDER = 'global-deterministic-10km';

/** The global model of the Met Office: where contrails persist, but neither vertical velocity nor radiation. */
export const ukmo: Provider = {
  name: 'ukmo',
  type: 'forecast',
  origin: { kind: 'netcdf', provider: 'Met Office', dataset: 'UM global 10 km', product: 'forecast' },
  attribution: 'British Crown copyright, the Met Office, CC-BY-SA-4.0 (modified).',
  licence: 'CC-BY-SA-4.0',
  warning:
    'vertical velocity, radiation and cloud ice are missing: contrail formation and persistence only, no CoCiP',
  defaultHours: 12,
  defaultLevels: [150, 175, 200, 225, 250, 275, 300, 325, 350, 375, 400],
  cycleMs: 6 * HOUR_MS,
  delayMs: 5 * HOUR_MS,
  takesBbox: true,
  takesMembers: false,
  extension: 'nc',
  roots: () => ['https://met-office-atmospheric-model-data.s3.eu-west-2.amazonaws.com'],
  politeness: () => ({ connections: 16 }),
  stepsTo: (hours) =>
    stepsUpTo(hours, [
      [1, 54],
      [3, 144],
      [6, 168],
    ]),
  open: (remote, wants) => {
    const listing = new Listing(remote);
    return convertedRuns(remote, {
      isLazy: true,
      hasStep: async (runMs, step) => (await partsOf(listing, runMs, step)) !== undefined,
      planStep: async (runMs, step) => {
        const parts = await partsOf(listing, runMs, step);
        return parts === undefined ? undefined : [plannedFile(remote, runMs, step, parts, wants)];
      },
      jobOf: (runMs, { step, parts = [] }, local, output) => ({
        kind: 'ukmo',
        files: Object.fromEntries(parts.map((part) => [part.role, local(part)])) as UkmoJob['files'],
        runMs,
        step,
        levels: wants.levels,
        ...(wants.bbox === undefined ? {} : { bbox: wants.bbox }),
        output,
      }),
    });
  },
  missing: (files) => [
    ...(files.every(({ parts = [] }) => parts.some(({ role }) => role === 'vertical'))
      ? []
      : ['vertical_velocity']),
    'specific_cloud_ice_water_content',
    'top_net_solar_radiation',
    'top_net_thermal_radiation',
  ],
  radiation: () => 'none',
};

function plannedFile(
  remote: Remote,
  runMs: number,
  step: number,
  parts: readonly RemotePart[],
  { levels }: Wants,
): PlannedFile {
  return {
    name: `ukmo-${compactRun(runMs).name}-${String(step).padStart(3, '0')}.nc`,
    step,
    path: parts[0]?.path ?? '',
    etag: parts[0]?.etag,
    bytes: bytesRead(remote, parts, levels.length / STORED_LEVELS),
    pieces: [],
    parts,
  };
}

async function partsOf(listing: Listing, runMs: number, step: number): Promise<RemotePart[] | undefined> {
  const listed = await listing.of(runMs);
  const stamp = (ms: number) => `${new Date(ms).toISOString().replace(/[-:]/g, '').slice(0, 13)}Z`;
  const prefix = `${stamp(runMs + step * HOUR_MS)}-PT${String(step).padStart(4, '0')}H00M-`;
  const parts: RemotePart[] = [];
  const find = (role: string, names: readonly string[]): RemotePart | undefined => {
    const paths = names.map((name) => `${FOLDER}/${stamp(runMs)}/${prefix}${name}_on_pressure_levels.nc`);
    const path = paths.find((one) => listed.has(one));
    const found = listed.get(path ?? '');
    return path === undefined || found === undefined ? undefined : { role, path, ...found };
  };
  for (const role of ROLES) {
    const part = find(role, PARAMETERS[role]);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  const vertical = find('vertical', [VERTICAL]);
  const isOnLevels = (vertical?.bytes ?? 0) > MIN_VERTICAL_SHARE * (parts[0]?.bytes ?? 0);
  return vertical !== undefined && isOnLevels ? [...parts, vertical] : parts;
}

/** The objects of a run, listed once. */
class Listing {
  readonly #remote: Remote;
  readonly #runs = new Map<number, Promise<ListedObjects>>();

  constructor(remote: Remote) {
    this.#remote = remote;
  }

  of(runMs: number): Promise<ListedObjects> {
    const known = this.#runs.get(runMs) ?? this.#list(runMs);
    this.#runs.set(runMs, known);
    return known;
  }

  async #list(runMs: number): Promise<ListedObjects> {
    return (await listObjects(this.#remote, `${FOLDER}/${compactRun(runMs).name}00Z/`)).objects;
  }
}
