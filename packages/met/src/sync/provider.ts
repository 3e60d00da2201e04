import type { Range } from './ranges.ts';
import type { Remote } from './remote.ts';

/** A field in a remote file. */
export interface Piece extends Range {
  readonly param: string;
  /** [hPa]; null without levels. */
  readonly level: number | null;
  /** [h] */
  readonly step: number;
  readonly member?: number;
}

/** A file that a run will hold, and where its bytes come from. */
export interface PlannedFile {
  readonly name: string;
  /** [h] since the start of the run; of a day 0. */
  readonly step: number;
  /** Below the root. */
  readonly path: string;
  readonly etag: string | undefined;
  readonly indexEtag?: string | undefined;
  /** What is fetched of it [bytes]. */
  readonly bytes: number;
  /** In the order of the remote file; none where files are converted. */
  readonly pieces: readonly Piece[];
  /** Whole remote files that it is made of. */
  readonly parts?: readonly RemotePart[];
}

export interface RemotePart {
  /** What it is in the conversion. */
  readonly role: string;
  /** Below the root. */
  readonly path: string;
  readonly bytes: number;
  readonly etag?: string | undefined;
}

/** What is wanted of every run. */
export interface Wants {
  /** [hPa] */
  readonly levels: readonly number[];
  /** [°] west, south, east, north; the whole grid unless given. */
  readonly bbox?: readonly [west: number, south: number, east: number, north: number];
  /** Ensemble members besides the control; none unless given. */
  readonly members?: number;
  /** For archives that ask for a key. */
  readonly key?: string;
}

/** What the fetching of one file gets. */
export interface FetchTools {
  /** Where its bytes are gathered; what an earlier attempt left there is continued. */
  readonly part: string;
  /** Receives the file's byte count so far. */
  readonly onProgress: (bytes: number) => void;
  /** Receives user notices about the file. */
  readonly onNotice: (notice: string) => void;
  readonly signal?: AbortSignal;
}

/** A provider's runs on one root. */
export interface RunsOnRoot {
  hasStep(runMs: number, step: number): Promise<boolean>;
  /** Undefined while the step is not there as a whole. */
  planStep(runMs: number, step: number): Promise<readonly PlannedFile[] | undefined>;
  /** The last day of a reanalysis that is there, such as 2024-06-15. */
  lastDay?(): Promise<string | undefined>;
  /** Gathers a planned file, and verifies it; returns its SHA-256 where that is known by then. */
  fetch(runMs: number, file: PlannedFile, tools: FetchTools): Promise<string | undefined>;
}

/** Keys of a weather source, as in the configuration. */
export interface GeneratedSource {
  readonly name: string;
  readonly kind: 'grib' | 'netcdf';
  readonly paths: readonly string[];
  readonly provider: string;
  readonly dataset: string;
  readonly product: string;
  readonly radiation_accumulated?: boolean;
  readonly radiation_intervals?: boolean;
  readonly estimate_radiation?: boolean;
  readonly radiation_from?: string;
  readonly attribution: string;
  readonly member?: 'all';
}

/** Which paths, variables and levels of an archive belong together. */
export interface Provider {
  readonly name: string;
  readonly type: 'forecast' | 'reanalysis';
  /** Of the generated source, but name, paths and choices of the user. */
  readonly origin: Omit<GeneratedSource, 'name' | 'paths' | 'radiation_from' | 'attribution' | 'member'>;
  readonly attribution: string;
  readonly licence: string;
  /** What every user of the source should know of it. */
  readonly warning?: string;
  /** [h] */
  readonly defaultHours: number;
  /** [hPa] */
  readonly defaultLevels: readonly number[];
  /** From one run to the next [ms]. */
  readonly cycleMs: number;
  /** After its start a run is expected [ms]. */
  readonly delayMs: number;
  readonly takesBbox: boolean;
  readonly takesMembers: boolean;
  /** Extension of the files of a run. */
  readonly extension: 'grib2' | 'nc';
  /** In the order in which they are tried. */
  roots(runMs: number, nowMs: number): readonly string[];
  /** What a server asks of its clients. */
  politeness(root: string): { readonly connections: number; readonly requestsPerMinute?: number };
  /** Steps up to an hour, which is rounded up to a step [h]. */
  stepsTo(hours: number): number[];
  open(remote: Remote, wants: Wants): RunsOnRoot;
  /** Canonical names of the variables that a run lacks. */
  missing(files: readonly PlannedFile[]): string[];
  /** What radiation a run has. */
  radiation(missing: readonly string[]): 'means' | 'estimated' | 'none';
  /** Refuses runs that the archive keeps in another way. */
  refuses?(runMs: number): string | undefined;
}
