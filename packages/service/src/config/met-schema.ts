import { Type } from 'typebox';

const source = Type.Object({
  name: Type.Optional(
    Type.String({
      description: 'Name by which requests and commands choose the source.',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
      allowed: 'letters, digits, dots, dashes and underscores',
    }),
  ),
  kind: Type.Optional(
    Type.Union(
      [Type.Literal('netcdf'), Type.Literal('zarr'), Type.Literal('grib'), Type.Literal('synthetic')],
      { description: 'What the files are; `synthetic` needs none and is not real weather.' },
    ),
  ),
  paths: Type.Optional(
    Type.Array(Type.String({ minLength: 1, allowed: 'a path, a pattern or an address' }), {
      description:
        'Files, patterns such as `met/era5-*.nc`, and for Zarr also `http(s)://`, `s3://` and `gs://` addresses. ' +
        'Relative paths start at the directory of the configuration file. Files that `contrails met import` brought in need not be named.',
    }),
  ),
  provider: Type.Optional(
    Type.String({
      description:
        'Who made the data, as every answer reports it. Radiation in W m⁻² of `ECMWF` (in any case) describes the hour before its stamp; where files store no unit of radiation, that of `ECMWF` is in J m⁻² and that of others in W m⁻².',
      minLength: 1,
      allowed: 'a name such as ECMWF',
    }),
  ),
  dataset: Type.Optional(
    Type.String({
      description: 'Name of the data set, as every answer reports it.',
      minLength: 1,
      allowed: 'a name such as ERA5',
    }),
  ),
  product: Type.Optional(
    Type.String({
      description: 'Product of the data set, as every answer reports it.',
      minLength: 1,
      allowed: 'a name such as reanalysis or forecast',
    }),
  ),
  type: Type.Optional(
    Type.Union([Type.Literal('reanalysis'), Type.Literal('forecast')], {
      description:
        'Whether the data are forecasts, each with a start of its own, or one series by valid time. Without it files that carry the start of a forecast are forecasts; ' +
        'where files carry none, or carry one in any case as GRIB does, a `product` with `forecast` in it is a forecast and one with `analysis` in it is not, and any other is a forecast in GRIB only. ' +
        'A GRIB product called analysis whose levels hold forecast steps is refused until `type` is set; `contrails met check` names a `product` that the files contradict.',
    }),
  ),
  radiation_accumulated: Type.Optional(
    Type.Boolean({
      description:
        'Radiation is summed since the start of the forecast, as the archive of ECMWF keeps it. GRIB files say so themselves.',
      default: false,
    }),
  ),
  radiation_hours: Type.Optional(
    Type.Union([Type.Literal(1), Type.Literal(3)], {
      description:
        'Hours before its stamp over which radiation is summed or averaged, for netCDF and Zarr files. Without it 3 for the ensemble of ERA5, else 1 for radiation in J m⁻² and for all of `ECMWF`; ' +
        'radiation in J m⁻² with longer steps of an unknown data set is refused until it is set.',
    }),
  ),
  member: Type.Optional(
    Type.Integer({
      description: 'Which ensemble member is read, where the files hold several.',
      minimum: 0,
      maximum: 1000,
    }),
  ),
  levels: Type.Optional(
    Type.Array(Type.Number({ minimum: 1, maximum: 1100 }), {
      description:
        'Pressure levels in hPa to which model levels are brought; where they are given, variables on pressure levels beside model levels are left out.',
    }),
  ),
  s3_endpoint: Type.Optional(
    Type.String({
      description: 'Server on which `s3://` stores of the source are found; Amazon S3 when it is not given.',
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
        'Sign requests to `s3://` stores with the keys of the section `s3`, whose endpoint and region hold unless the source has its own. ' +
        'Without it buckets are read as everybody may.',
      default: false,
    }),
  ),
  resolution: Type.Optional(
    Type.Number({
      description: 'Grid of synthetic weather in degrees; a quarter of a circle must be a multiple of it.',
      default: 1,
      minimum: 0.1,
      maximum: 10,
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      description: 'Another number, other synthetic weather.',
      default: 1,
      minimum: 0,
      maximum: 4_294_967_295,
    }),
  ),
});

export const met = Type.Object(
  {
    sources: Type.Array(source, {
      description:
        'Where weather comes from. The first that covers a request is used, re-analysis before forecasts, unless the request names one.',
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
        description: 'How humidity is corrected unless a request says otherwise.',
        default: 'exponential_boost_latitude_customization',
      },
    ),
    memory_mib: Type.Union([Type.Literal('auto'), Type.Integer({ minimum: 64, maximum: 16_777_216 })], {
      description:
        'Memory for weather that is kept, in MiB; `auto` is a quarter of what this process may use. What is being read takes some more for a moment.',
      default: 'auto',
    }),
    read_timeout_seconds: Type.Number({
      description:
        'How long reading a weather file may make no progress. Then its reader is ended and the file is left out until it is replaced, or for an hour.',
      default: 30,
      minimum: 1,
      maximum: 3600,
    }),
  },
  { description: 'Weather; see [meteorology](meteorology.md).' },
);
