import type { FieldAxes, MetField } from './field/field.ts';

/** Kinds of files and stores, in the order in which they are documented; each has a folder in `sources/`. */
export const FILE_KINDS = ['netcdf', 'zarr', 'grib'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** Bounds are inclusive, and `read` widens them to the next knot outside. */
export interface MetWindow {
  /** With levels or without, not both. One may be listed twice: the caller then fills the second. */
  readonly variables: readonly string[];
  /** [ms since 1970] */
  readonly time: readonly [first: number, last: number];
  /** [hPa]; ignored for variables without levels. */
  readonly level: readonly [top: number, bottom: number];
  /** [°] */
  readonly latitude: readonly [south: number, north: number];
  /** [°], west > east crosses the antimeridian; [−180, 180] is the whole circle. */
  readonly longitude: readonly [west: number, east: number];
  /** Forecast sources: the run to read from [ms since 1970]. */
  readonly referenceTime?: number;
}

/** Unit in which `read` gives the top-of-atmosphere radiation of a source; it is not converted. */
export type RadiationUnit = 'J m-2' | 'W m-2';

/** How radiation is stored: what one value means and when it holds. */
export type RadiationConvention =
  | { readonly kind: 'instantaneous'; readonly unit: 'W m-2' }
  /** Accumulated or averaged over the hours before the stamp. */
  | { readonly kind: 'past-hours'; readonly hours: 1 | 3; readonly unit: RadiationUnit }
  | { readonly kind: 'since-run-start'; readonly unit: 'J m-2' }
  /** Averaged since the start of a window, which begins anew every few hours; see `radiationStarts` of a run. */
  | { readonly kind: 'window-means'; readonly unit: 'W m-2' };

export type DataType = 'reanalysis' | 'forecast';

/** One forecast, or the reanalysis. */
export interface MetRun {
  /** Start of the forecast [ms since 1970]. */
  readonly referenceTime?: number;
  /** Times of what is on levels [ms since 1970], increasing. */
  readonly times: readonly number[];
  /** Stamps of radiation where they differ. */
  readonly radiationTimes?: readonly number[];
  /** Since when the values at these stamps were averaged, where each defines it. */
  readonly radiationStarts?: readonly number[];
  /** What the run is made of, where its data can change piece by piece; see `generationOfTimes`. */
  readonly files?: readonly RunFile[];
}

/** A file or store that holds some times of a run. */
export interface RunFile {
  /** Changes when the file does; the same on every machine that has a copy of it. */
  readonly generation: string;
  /** Whether it holds variables on levels; radiation may be in other files and at other times. */
  readonly onLevels: boolean;
  /** First and last time in it [ms since 1970]. */
  readonly times: readonly [first: number, last: number];
}

/** A file that is left out because its reader made no progress. It is tried again when it is replaced, or after an hour. */
export interface QuarantinedFile {
  readonly path: string;
  /** What is wrong, with the remedy. */
  readonly reason: string;
  /** [ms since 1970] */
  readonly sinceMs: number;
}

/** What a source holds, read from its metadata without reading values. */
export interface SourceDescription {
  readonly name: string;
  /** `synthetic` weather is made up as it is read: a part of the globe costs a part of the time. */
  readonly kind: FileKind | 'synthetic';
  readonly provider: string;
  readonly dataset: string;
  readonly product: string;
  /** What a run without a reference time is; one that has it is a forecast. */
  readonly type: DataType;
  /** Changes when the data behind the source change, or may have changed: caches of this process hang on it. */
  readonly generation: string;
  readonly variables: readonly string[];
  /** [hPa], increasing. */
  readonly levels: readonly number[];
  /** [°], increasing. */
  readonly latitude: readonly number[];
  /** The meridians that are stored [°], none of them twice. */
  readonly longitude: readonly number[];
  /** The reanalysis, which has no reference time, and forecasts, newest last. */
  readonly runs: readonly MetRun[];
  /** Variables that are not there at all of these times, with the times they lack; a window over one is refused. */
  readonly incomplete: readonly { readonly variable: string; readonly missing: readonly number[] }[];
  /** Levels that some variables have and others lack: they are left out [hPa]. */
  readonly unevenLevels?: readonly { readonly variable: string; readonly missing: readonly number[] }[];
  /** The type of data by the name of the product, where the files contradict it; the files decide. */
  readonly doubtfulType?: DataType;
  /** Axes as files keep them that neither increase nor decrease; they are sorted, and of repeated values the first counts. */
  readonly unordered?: readonly { readonly axis: keyof FieldAxes; readonly path: string }[];
  readonly quarantined?: readonly QuarantinedFile[];
  /** Variables that some files keep in a way that cannot be read: there they are left out. */
  readonly unusable?: readonly { readonly variable: string; readonly reason: string }[];
  readonly radiation: RadiationConvention;
  /** Radiation is read as planetary albedo and longwave means of intervals. */
  readonly radiationIntervals?: true;
  /** Reflected shortwave radiation is estimated from the surface: the source has none at the top. */
  readonly estimatesRadiation?: true;
  /** Name of the source whose radiation is used. */
  readonly radiationFrom?: string;
  /** Line by which the provider of the data is named. */
  readonly attribution?: string;
  readonly levelType: 'pressure' | 'model';
  /** Which member of an ensemble this is, where the source serves all of them. */
  readonly member?: number;
  /** The members that `ofMember` has, ascending. */
  readonly members?: readonly number[];
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** Whether no client waits for it: what reads for clients comes first. */
  readonly isForJob?: boolean;
  /**
   * What `describe` returned: reads the data as they were then, ignoring later arrivals, or refuses lost ones as `changed`.
   * Without it, the current data.
   */
  readonly description?: SourceDescription;
  /** Memory for what is read, all NaN; new memory unless given. */
  readonly allocate?: (variables: readonly string[], axes: FieldAxes) => MetField | Promise<MetField>;
}

/** A source of weather. A new kind of source implements this interface. */
export interface MetSource {
  readonly name: string;
  describe(): Promise<SourceDescription>;
  /** Only the bytes the window needs; axes as `MetField` wants them. */
  read(window: MetWindow, options?: ReadOptions): Promise<MetField>;
  /** Files that hold a variable at a time of a run, for messages. */
  pathsOf?(variable: string, timeMs: number, referenceTime: number | undefined): Promise<readonly string[]>;
  /** The same source with the weather of another of its members, the same object each time; it is closed with this one. */
  ofMember?(member: number): MetSource;
  /** Files that are left out by now. */
  quarantined?(): readonly QuarantinedFile[];
  close(): Promise<void>;
}

/** The description of a source, or why there is none. */
export type CatalogueEntry =
  | { readonly source: MetSource; readonly description: SourceDescription }
  | { readonly source: MetSource; readonly error: unknown };
