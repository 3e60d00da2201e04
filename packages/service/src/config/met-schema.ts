import { FILE_KINDS } from '@contrails/met/source';
import { oneOf } from '@contrails/platform/one-of';
import { type Static, Type } from 'typebox';
import { cdsKey, metSync } from './met-sync.ts';

/** In the order in which they are documented. */
export const SOURCE_KINDS = [...FILE_KINDS, 'synthetic'] as const;

const source = Type.Object({
  name: Type.Optional(
    Type.String({
      description: 'Name that requests and commands use to select the source.',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
      allowed: 'letters, digits, dots, dashes and underscores',
    }),
  ),
  kind: Type.Optional(
    oneOf(SOURCE_KINDS, {
      description: 'Format of the files; `synthetic` needs none and is not real weather.',
    }),
  ),
  paths: Type.Optional(
    Type.Array(Type.String({ minLength: 1, allowed: 'a path, a pattern or an address' }), {
      description:
        'Files, patterns such as `met/era5-*.nc`, and for Zarr also `http(s)://`, `s3://` and `gs://` addresses. ' +
        'Relative paths are relative to the directory of the configuration file. Do not list files that you import with `contrails met import`.',
    }),
  ),
  provider: Type.Optional(
    Type.String({
      description:
        'Provider of the data, as reported in every response. Radiation of `ECMWF` (upper or lower case) in W m⁻² applies to the hour before its time stamp. If files store no unit of radiation, it is J m⁻² for `ECMWF` and W m⁻² for others.',
      minLength: 1,
      allowed: 'a name such as ECMWF',
    }),
  ),
  dataset: Type.Optional(
    Type.String({
      description: 'Name of the data set, as reported in every response.',
      minLength: 1,
      allowed: 'a name such as ERA5',
    }),
  ),
  product: Type.Optional(
    Type.String({
      description: 'Product of the data set, as reported in every response.',
      minLength: 1,
      allowed: 'a name such as reanalysis or forecast',
    }),
  ),
  type: Type.Optional(
    Type.Union([Type.Literal('reanalysis'), Type.Literal('forecast')], {
      description:
        'Whether the data are forecast runs, each with its own start time, or one series by valid time. Without it, files with a forecast start time are forecasts. ' +
        'If files have no start time, or always have one (GRIB), the `product` decides: a name that contains `forecast` is a forecast, one that contains `analysis` is not, and any other is a forecast in GRIB only. ' +
        'A GRIB product called analysis whose levels contain forecast steps is rejected until you set `type`. `contrails met check` reports a `product` that contradicts the files.',
    }),
  ),
  radiation_accumulated: Type.Optional(
    Type.Boolean({
      description:
        'Radiation is accumulated since the start of the forecast, as in the ECMWF archive. GRIB files define this themselves.',
      default: false,
    }),
  ),
  radiation_hours: Type.Optional(
    Type.Union([Type.Literal(1), Type.Literal(3)], {
      description:
        'Hours before its time stamp over which radiation is accumulated or averaged, for netCDF and Zarr files. The default is 3 for the ERA5 ensemble, otherwise 1 for radiation in J m⁻² and for all of `ECMWF`. ' +
        'Radiation in J m⁻² with longer steps of an unknown data set is rejected until you set it.',
    }),
  ),
  radiation_intervals: Type.Optional(
    Type.Boolean({
      description:
        'Radiation is a sum or mean over the interval between two times, as in ECMWF open data, GFS and ICON-EU. The planetary albedo of each interval is interpolated in time instead of the flux, which follows the sun. `contrails met sync` sets it.',
      default: false,
    }),
  ),
  estimate_radiation: Type.Optional(
    Type.Boolean({
      description:
        'Estimate reflected shortwave radiation from net shortwave radiation at the surface (`ssr`) and water vapour (`tcwv`) if the source has none at the top of the atmosphere. Without it, CoCiP does not run on such a source.',
      default: false,
    }),
  ),
  radiation_from: Type.Optional(
    Type.String({
      description:
        "Name of another source whose radiation is used instead of the source's own. It must be of the same type (forecast or reanalysis) and not take radiation from a third source.",
      minLength: 1,
      allowed: 'the name of another source',
    }),
  ),
  attribution: Type.Optional(
    Type.String({
      description: 'Line that the provider of the data requires; answers and files carry it.',
      minLength: 1,
      allowed: 'a line of text',
    }),
  ),
  member: Type.Optional(
    Type.Union([Type.Literal('all'), Type.Integer({ minimum: 0, maximum: 1000 })], {
      description:
        'Ensemble member to read, if the files contain several: its position from 0, in GRIB files its perturbation number. ' +
        '`all` serves every member to requests with `met_members`, and the first one to others.',
    }),
  ),
  levels: Type.Optional(
    Type.Array(Type.Number({ minimum: 1, maximum: 1100 }), {
      description:
        'Pressure levels in hPa to which model levels are interpolated. If set, variables on pressure levels are ignored if they are also on model levels.',
    }),
  ),
  s3_endpoint: Type.Optional(
    Type.String({
      description: 'Address of the server for `s3://` stores of the source; by default Amazon S3.',
      pattern: '^https?://[^@\\s]+$',
      allowed: 'an http:// or https:// address without credentials',
    }),
  ),
  s3_region: Type.Optional(
    Type.String({
      description: 'Region of the `s3://` stores of the source.',
      minLength: 1,
      allowed: 'a region name',
    }),
  ),
  s3_signed: Type.Optional(
    Type.Boolean({
      description:
        'Sign requests to `s3://` stores with the keys of the section `s3`, and use its endpoint and region unless the source has its own. ' +
        'By default buckets are read anonymously.',
      default: false,
    }),
  ),
  resolution: Type.Optional(
    Type.Number({
      description: 'Grid spacing of synthetic weather in degrees; 90 must be a multiple of it.',
      default: 1,
      minimum: 0.1,
      maximum: 10,
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      description: 'Seed of the synthetic weather; another number gives other weather.',
      default: 1,
      minimum: 0,
      maximum: 4_294_967_295,
    }),
  ),
});

export const met = Type.Object(
  {
    sync: metSync,
    cds_key: cdsKey,
    sources: Type.Array(source, {
      description:
        'Weather sources. The first one that covers a request is used, reanalysis before forecasts, unless the request names one.',
      default: [],
      allowed: 'a list of sources, each with name, kind and what the kind needs',
    }),
    humidity_scaling: Type.Union(
      [
        Type.Literal('none'),
        Type.Literal('constant_scale'),
        Type.Literal('exponential_boost'),
        Type.Literal('exponential_boost_latitude_customization'),
        Type.Literal('constant_scale_by_level'),
        Type.Literal('histogram_matching'),
      ],
      {
        description: 'Default humidity correction; requests can choose another one.',
        default: 'exponential_boost_latitude_customization',
      },
    ),
    memory_mib: Type.Union([Type.Literal('auto'), Type.Integer({ minimum: 64, maximum: 16_777_216 })], {
      description:
        'Memory for cached weather, in MiB; `auto` is a quarter of the memory available to this process (`server.memory_mib`), and on small machines up to a third of it, 640 MiB. Where all sources are synthetic it is at most 400 MiB on any machine. Jobs hold at most three quarters of it together, unless one needs more by itself: the rest is for requests. Reading temporarily takes up to an eighth more.',
      default: 'auto',
    }),
    read_timeout_seconds: Type.Number({
      description:
        'Maximum time that reading a weather file may make no progress. After it, the reader is terminated and the file is skipped until it is replaced, or for an hour.',
      default: 30,
      minimum: 1,
      maximum: 3600,
    }),
  },
  { description: 'Weather; see [meteorology](meteorology.md).' },
);

/** The section as written, with defaults; sources may still be incomplete. */
export type MetSettings = Static<typeof met>;
