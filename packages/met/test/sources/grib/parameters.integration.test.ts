import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readTools } from '../../../../../test/support/tools.ts';
import { levelKind, variableOf } from '../../../src/sources/grib/parameters.ts';

const { python, missing } = readTools();
const needsPython = `needs Python with eccodes${python === null ? ` (${missing.python})` : ''}`;

/** Prints how ecCodes encodes parameters (their number in its database, and the kind of level). */
const SCRIPT = `
import eccodes, json, sys
codes = {}
for name, (sample, parameter, keys, *_) in json.loads(sys.argv[1]).items():
    message = eccodes.codes_grib_new_from_samples(sample)
    for key, value in keys.items():
        eccodes.codes_set(message, key, value)
    eccodes.codes_set(message, "paramId", parameter)
    wanted = ["discipline", "parameterCategory", "parameterNumber", "centre", "typeOfFirstFixedSurface"]
    codes[name] = [eccodes.codes_get_long(message, key) for key in wanted]
print(json.dumps(codes))
`;

const [levels, surface] = ['regular_ll_pl_grib2', 'regular_ll_sfc_grib2'];
const hybrid = { typeOfFirstFixedSurface: 105 };
const ncep = { centre: 'kwbc' };
const PARAMETERS: Readonly<Record<string, readonly [string, number, object, string | undefined]>> = {
  t: [levels, 130, {}, 'air_temperature'],
  q: [levels, 133, {}, 'specific_humidity'],
  u: [levels, 131, {}, 'eastward_wind'],
  v: [levels, 132, {}, 'northward_wind'],
  w: [levels, 135, {}, 'lagrangian_tendency_of_air_pressure'],
  ciwc: [levels, 247, {}, 'specific_cloud_ice_water_content'],
  z: [levels, 129, {}, 'geopotential'],
  gh: [levels, 156, {}, 'geopotential_height'],
  'icmr of GFS': [levels, 260_019, ncep, 'specific_cloud_ice_water_content'],
  't on model levels': [levels, 130, hybrid, 'air_temperature'],
  'ciwc on model levels': [levels, 247, hybrid, 'specific_cloud_ice_water_content'],
  lnsp: [levels, 152, hybrid, 'logarithm_of_surface_pressure'],
  sp: [surface, 134, {}, 'surface_pressure'],
  tsr: [surface, 178, {}, 'top_net_solar_radiation'],
  ttr: [surface, 179, {}, 'top_net_thermal_radiation'],
  'mean of tsr': [surface, 235_039, {}, 'top_net_solar_radiation'],
  'mean of ttr': [surface, 235_040, {}, 'top_net_thermal_radiation'],
  ssr: [surface, 176, {}, 'surface_net_solar_radiation'],
  tcwv: [surface, 137, {}, 'total_column_water_vapour'],
  'str of the surface': [surface, 177, {}, undefined],
  clwc: [levels, 246, {}, undefined],
  'relative humidity': [levels, 157, {}, undefined],
};

describe.skipIf(python === null)(`parameters as ecCodes encodes them: ${needsPython}`, () => {
  const asked = JSON.stringify(PARAMETERS);
  const codes = JSON.parse(
    python === null ? '{}' : execFileSync(python, ['-c', SCRIPT, asked], { encoding: 'utf8' }),
  ) as Record<string, [number, number, number, number, number]>;

  test.each(Object.keys(PARAMETERS))('%s is recognised', (name) => {
    const [discipline, category, number, centre, level] = codes[name] ?? [];
    const kind = levelKind(level ?? -1);
    const code = {
      discipline: discipline ?? -1,
      category: category ?? -1,
      number: number ?? -1,
      centre: centre ?? -1,
    };
    expect(kind && variableOf(code, kind)).toBe(PARAMETERS[name]?.[3]);
  });

  test('upward fluxes of NCEP under its own numbers are those of the top, at the top alone', () => {
    const flux = { discipline: 0, category: 4, number: 193 };
    expect(variableOf({ ...flux, centre: 7 }, 'top')).toBe('toa_upward_shortwave_flux');
    expect(variableOf({ ...flux, centre: 7 }, 'surface')).toBeUndefined();
    expect(variableOf({ ...flux, centre: 98 }, 'top')).toBeUndefined();
  });
});
