import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS, withTemporaryFolder } from '@contrails/runtime';
import { bunzip2 } from '@contrails/runtime/bunzip2';
import { decodeMessage, type GribMessage } from '../sources/grib/message.ts';
import { RemoteFailure } from '../sync/failures.ts';
import type { PlannedFile, Provider, RemotePart, Wants } from '../sync/provider.ts';
import type { Remote } from '../sync/remote.ts';
import { convertedRuns } from './converted-runs.ts';
import { fetchWhole } from './fetch-whole.ts';
import { compactRun, stepsUpTo } from './run-names.ts';

const ON_LAYERS = ['t', 'qv', 'qi', 'u', 'v', 'p'];
const AT_TOP = ['asob_t', 'athb_t'];
/** Without them the last step is not there. */
const LAST = ['athb_t', 'p', 'w'];

/** ICON-EU of DWD: Europe on the layers of the model, complete for CoCiP. */
export const iconEu: Provider = {
  name: 'icon-eu',
  type: 'forecast',
  origin: {
    kind: 'netcdf',
    provider: 'DWD',
    dataset: 'ICON-EU',
    product: 'forecast',
    radiation_accumulated: true,
    radiation_intervals: true,
  },
  attribution: 'Datenbasis: Deutscher Wetterdienst, eigene Bearbeitung.',
  licence: 'CC-BY-4.0 / GeoNutzV',
  defaultHours: 24,
  defaultLevels: [150, 175, 200, 225, 250, 275, 300, 325, 350, 375, 400],
  cycleMs: 3 * HOUR_MS,
  delayMs: 2.5 * HOUR_MS,
  takesBbox: true,
  takesMembers: false,
  extension: 'nc',
  roots: () => ['https://opendata.dwd.de'],
  politeness: () => ({ connections: 4 }),
  stepsTo: (hours) => stepsUpTo(hours, [[1, 78]]),
  open: (remote, wants) => {
    const folders = new Folders(remote, wants);
    return convertedRuns(remote, {
      isLazy: false,
      async hasStep(runMs, step) {
        for (const variable of LAST) {
          if (![...(await folders.of(runMs, variable)).values()].some((file) => file.step === step))
            return false;
        }
        return true;
      },
      async planStep(runMs, step) {
        const layers = await folders.layers(runMs);
        const parts = await partsOf(folders, runMs, step, layers);
        return parts === undefined ? undefined : [plannedFile(runMs, step, parts)];
      },
      async jobOf(runMs, { step, parts = [] }, local, output) {
        const files: Record<string, Record<number, string>> = {};
        for (const part of parts) {
          const [variable = '', level] = part.role.split(' ');
          files[variable] = { ...files[variable], [Number(level)]: local(part) };
        }
        return {
          kind: 'icon-eu',
          files,
          runMs,
          step,
          layers: await folders.layers(runMs),
          levels: wants.levels,
          ...(wants.bbox === undefined ? {} : { bbox: wants.bbox }),
          output,
        };
      },
    });
  },
  missing: () => ['geopotential'],
  radiation: () => 'means',
};

function plannedFile(runMs: number, step: number, parts: readonly RemotePart[]): PlannedFile {
  return {
    name: `icon-eu-${compactRun(runMs).name}-${String(step).padStart(3, '0')}.nc`,
    step,
    path: parts[0]?.path ?? '',
    etag: undefined,
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    pieces: [],
    parts,
  };
}

async function partsOf(
  folders: Folders,
  runMs: number,
  step: number,
  layers: readonly number[],
): Promise<RemotePart[] | undefined> {
  const parts: RemotePart[] = [];
  const add = async (variable: string, level: number, isNeeded = true) => {
    const file = (await folders.of(runMs, variable)).get(`${step} ${level}`);
    if (file !== undefined) parts.push({ role: `${variable} ${level}`, path: file.path, bytes: file.bytes });
    return file !== undefined || !isNeeded;
  };
  for (const layer of layers) {
    for (const variable of [...ON_LAYERS, 'w']) if (!(await add(variable, layer))) return undefined;
  }
  // Vertical velocity is between the layers.
  await add('w', (layers.at(-1) ?? 0) + 1, false);
  for (const variable of AT_TOP) if (!(await add(variable, 0))) return undefined;
  return parts;
}

interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  readonly step: number;
  readonly level: number;
}

/** Folders of a variable, which hold files of two runs: the name decides. */
class Folders {
  readonly #remote: Remote;
  readonly #wants: Wants;
  readonly #listed = new Map<string, Promise<ReadonlyMap<string, ListedFile>>>();
  readonly #layers = new Map<number, Promise<number[]>>();

  constructor(remote: Remote, wants: Wants) {
    this.#remote = remote;
    this.#wants = wants;
  }

  /** By step and level. */
  of(runMs: number, variable: string): Promise<ReadonlyMap<string, ListedFile>> {
    const key = `${runMs} ${variable}`;
    const known = this.#listed.get(key) ?? this.#list(runMs, variable);
    this.#listed.set(key, known);
    return known;
  }

  /** The layers that enclose the wanted levels everywhere, and one more on each side. */
  layers(runMs: number): Promise<number[]> {
    const known = this.#layers.get(runMs) ?? this.#findLayers(runMs);
    this.#layers.set(runMs, known);
    return known;
  }

  async #list(runMs: number, variable: string): Promise<ReadonlyMap<string, ListedFile>> {
    const { day, hour } = compactRun(runMs);
    const folder = `weather/nwp/icon-eu/grib/${hour}/${variable}/`;
    const { status, bytes } = await this.#remote.request(folder, { expects: [200, 404], isHtml: true });
    const found = new Map<string, ListedFile>();
    if (status === 404) return found;
    const pattern = new RegExp(
      `href="([^"]*_${day}${hour}_(\\d{3})_(?:(\\d+)_)?${variable.toUpperCase()}\\.grib2\\.bz2)"[^\\n]*?(\\d+)\\s*$`,
      'gm',
    );
    for (const [, name = '', step, level = '0', size] of bytes.toString('utf8').matchAll(pattern)) {
      const file = { path: folder + name, bytes: Number(size), step: Number(step), level: Number(level) };
      found.set(`${file.step} ${file.level}`, file);
    }
    return found;
  }

  async #findLayers(runMs: number): Promise<number[]> {
    const pressure = [...(await this.of(runMs, 'p')).values()];
    const first = Math.min(...pressure.map(({ step }) => step));
    const files = pressure.filter(({ step }) => step === first).sort((one, other) => one.level - other.level);
    const [low, high] = [Math.min(...this.#wants.levels) * 100, Math.max(...this.#wants.levels) * 100];
    const top = await this.#bisect(files, (_, max) => max > low);
    const bottom = await this.#bisect(files, (min) => min >= high);
    // One above the last that lies above the highest level, and one below the first that lies below the lowest.
    return files.slice(Math.max(top - 2, 0), bottom + 2).map(({ level }) => level);
  }

  /** The first file, from the highest layer down, for which something holds; it holds for all that follow. */
  async #bisect(files: readonly ListedFile[], holds: (min: number, max: number) => boolean): Promise<number> {
    let [from, to] = [0, files.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const [min, max] = await this.#range(files[middle] as ListedFile);
      if (holds(min, max)) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  readonly #ranges = new Map<string, readonly [min: number, max: number]>();

  async #range(file: ListedFile): Promise<readonly [min: number, max: number]> {
    const known = this.#ranges.get(file.path);
    if (known !== undefined) return known;
    const { values } = await this.#remote.tried(file.path, () => this.#read(file));
    const range = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))] as const;
    this.#ranges.set(file.path, range);
    return range;
  }
  #read(file: ListedFile): Promise<GribMessage> {
    return withTemporaryFolder('icon', async (folder) => {
      const path = join(folder, 'p');
      await fetchWhole(this.#remote, { ...file, role: 'p' }, path);
      try {
        return await decodeMessage(bunzip2(await readFile(path)));
      } catch (cause) {
        if (!(cause instanceof RangeError)) throw cause;
        throw new RemoteFailure('transient', `${file.path} is damaged`, 'sent a damaged file', { cause });
      }
    });
  }
}
