import type { DataType, FileKind, MetSource, QuarantinedFile } from '../source.ts';
import type { S3Options } from './zarr/location.ts';

/** The configuration of a source; each kind uses the settings that apply to it. */
export interface SourceSettings {
  readonly name: string;
  readonly kind: FileKind;
  readonly provider: string;
  readonly dataset: string;
  readonly product: string;
  readonly type?: DataType;
  /** Files, globs or stores; relative ones start at `directory`. */
  readonly paths: readonly string[];
  readonly directory: string;
  /** Radiation is summed since the start of the forecast. */
  readonly accumulatedFromStart?: boolean;
  /** Hours before its stamp that a value of radiation describes. */
  readonly radiationHours?: 1 | 3;
  /** Radiation is a mean or sum over intervals, of which albedo and longwave means are taken. */
  readonly radiationIntervals?: boolean;
  /** Reflected shortwave radiation may be estimated from the surface. */
  readonly estimateRadiation?: boolean;
  /** Name of the source whose radiation is used. */
  readonly radiationFrom?: string;
  /** Line by which the provider of the data is named. */
  readonly attribution?: string;
  /** Position of the ensemble member to read, where there are several; `all` serves each of them, and the first unless asked. */
  readonly member?: number | 'all';
  /** [hPa] to which model levels are interpolated. */
  readonly levels?: readonly number[];
  /** How long reading a file may make no progress [ms]; without a limit unless given. */
  readonly stallMs?: number;
  /** Threads that read or compute its values; as many as there are processors unless given. */
  readonly threads?: number;
  /** Called when a file is left out from now on. */
  readonly onQuarantine?: (file: QuarantinedFile) => void;
  /** Where `s3://` addresses are found. */
  readonly s3Endpoint?: string;
  readonly s3Region?: string;
  /** Credentials that may read the stores; absent for public ones. */
  readonly s3Credentials?: NonNullable<S3Options['s3Credentials']>;
}

/** A new kind is one line here, loaded when it is first needed. */
const KINDS: Readonly<Record<FileKind, (settings: SourceSettings) => Promise<MetSource>>> = {
  netcdf: async (settings) => (await import('./netcdf/source.ts')).openNetcdf(settings),
  zarr: async (settings) => (await import('./zarr/source.ts')).openZarr(settings),
  grib: async (settings) => (await import('./grib/source.ts')).openGrib(settings),
};

export function openSource(settings: SourceSettings): Promise<MetSource> {
  return KINDS[settings.kind](settings);
}
