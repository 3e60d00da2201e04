import { DEFAULT_COCIP_PARAMS } from '@contrails/physics/cocip';
import { ValidationError } from '@contrails/runtime/errors';
import { Rejected } from '@contrails/runtime/options/rejected';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectTables } from '../../../../test/support/docs-tables.ts';
import { DEFAULT_TRAJECTORY_OPTIONS } from '../../src/flights/options.ts';
import {
  describeParameter,
  MODEL_PARAMETER_ENTRIES,
  MODEL_PARAMETERS,
  type ParameterEntry,
  rangeOf,
} from '../../src/flights/parameter-table.ts';
import { cocipParamsOf, effectiveParameters } from '../../src/flights/parameters.ts';
import { readParameterFlags, readParameters, withParameters } from '../../src/flights/read-parameters.ts';

test('the table of parameters in docs/research.md matches the table in the code', () => {
  const rows = MODEL_PARAMETER_ENTRIES.map(
    ([name, entry]) => `| \`${name}\` | ${rangeOf(entry)} | ${describeParameter(entry)} |`,
  );
  return expectTables('research.md', { parameters: ['| Name | Values | |', '|---|---|---|', ...rows] });
});

test('the defaults of the table are those of the model', () => {
  const byDefault = Object.fromEntries(MODEL_PARAMETER_ENTRIES.map(([name, entry]) => [name, entry.default]));
  const params = cocipParamsOf(withParameters(DEFAULT_TRAJECTORY_OPTIONS, byDefault));
  expect(params).toEqual({
    ...DEFAULT_COCIP_PARAMS,
    dtIntegrationS: 600,
    maxAgeS: 43_200,
    radiusThresholdUm: MODEL_PARAMETERS.radius_threshold_um.default,
    habitDistributions: MODEL_PARAMETERS.habit_distributions.default,
  });
});

test('every parameter of the contrail model can be given, and none twice', () => {
  const reached = MODEL_PARAMETER_ENTRIES.flatMap(([, { cocip }]) => cocip ?? []);
  expect([...reached].sort()).toEqual(Object.keys(DEFAULT_COCIP_PARAMS).sort());
});

const refusals = (raw: unknown, model: 'cocip' | 'sac' = 'cocip') => {
  const read = readParameters(raw, model);
  return read instanceof Rejected ? read.errors.map(({ msg }) => msg) : [];
};

describe('parameters of a body', () => {
  test('a value that is out of range is refused with the range and the unit', () => {
    expect(refusals({ max_depth: -1, dt_integration_minutes: 61, max_age_hours: 73 })).toEqual([
      'parameters.max_depth -1 is out of range; give a number above 0 and up to 20000 m, or null (no limit)',
      'parameters.dt_integration_minutes 61 is out of range; give a number from 1 to 60 min',
      'parameters.max_age_hours 73 is out of range; give a number above 0 and up to 72 h',
    ]);
  });

  test('a value of another type is refused', () => {
    expect(
      refusals({ max_depth: '1500', filter_sac: 1, min_tau: null, radius_threshold_um: [5, 4] }),
    ).toEqual([
      'parameters.max_depth "1500" is not a number; give a number above 0 and up to 20000 m, or null (no limit)',
      'parameters.filter_sac 1 is neither true nor false; give true or false',
      'parameters.min_tau is null; give a number from 0 to 10000000000',
      'parameters.radius_threshold_um is not a list of 5 numbers; give 5 ascending numbers above 0 and up to 1000000 um',
    ]);
  });

  test.each([
    ['max_dept', 'max_depth'],
    ['dt_integration', 'dt_integration_minutes'],
    ['max_age', 'max_age_hours'],
    ['persistent_buffer', 'persistent_buffer_minutes'],
    ['RF_SW_enhancement', 'rf_sw_enhancement_factor'],
  ])('an unknown name is refused with the nearest one: %s', (name, nearest) => {
    expect(refusals({ [name]: 1 })).toEqual([
      `parameters.${name} is not a parameter of cocip. Did you mean ${nearest}?`,
    ]);
  });

  test('a parameter of another model is refused', () => {
    expect(refusals({ max_depth: 100 }, 'sac')).toEqual([
      'parameters.max_depth is not a parameter of sac; leave it out, or ask cocip',
    ]);
  });

  test('bounds the wrong way round are refused, also against a default', () => {
    expect(refusals({ min_altitude_m: 13_000 })).toEqual([
      'min_altitude_m 13000 is not below max_altitude_m 13000; give a smaller min_altitude_m or a larger max_altitude_m',
    ]);
  });

  test('shares that do not add up are refused', () => {
    const rows = MODEL_PARAMETERS.habit_distributions.default.map((row) => [...row]);
    rows[2] = [0.5, 0, 0, 0, 0, 0, 0, 0];
    expect(refusals({ habit_distributions: rows })).toEqual([
      'parameters.habit_distributions has shares in row 2 that add up to 0.5; give 6 rows of 8 shares that add up to 1 in each row',
    ]);
  });

  test('overlap without limits of altitude is refused', () => {
    const [only] = refusals({ contrail_contrail_overlapping: true, max_altitude_m: null });
    expect(only).toMatch(/^max_altitude_m null is not possible with contrail_contrail_overlapping/);
  });

  test('an option of the query that disagrees is refused', () => {
    const options = { ...DEFAULT_TRAJECTORY_OPTIONS, maxAgeHours: 6 };
    expect(() => withParameters(options, { max_age_hours: 8 })).toThrow(ValidationError);
    expect(withParameters(options, { max_age_hours: 6 }).maxAgeHours).toBe(6);
  });

  test('any JSON is either refused with a sentence or accepted whole', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.dictionary(fc.constantFrom(...Object.keys(MODEL_PARAMETERS), '__proto__', 'x'), fc.jsonValue()),
        ),
        (raw) => {
          const read = readParameters(raw, 'cocip');
          if (read instanceof Rejected) {
            for (const { msg, loc } of read.errors) {
              expect(msg.length).toBeGreaterThan(10);
              expect(loc.slice(0, 2)).toEqual(['body', 'parameters']);
            }
          } else if (read !== undefined) {
            expect(Object.keys(read)).toEqual(Object.keys(raw as object));
          }
        },
      ),
    );
  });
});

test('a command line gives the same parameters as a body', () => {
  const flags = ['max_depth=null', 'filter_sac=no', 'min_tau=1e-5', 'radius_threshold_um=[1,2,3,4,5]'];
  expect(readParameterFlags(flags, 'cocip')).toEqual({
    max_depth: null,
    filter_sac: false,
    min_tau: 1e-5,
    radius_threshold_um: [1, 2, 3, 4, 5],
  });
  expect(() => readParameterFlags(['max_depth'], 'cocip')).toThrow(/give name=value/);
  expect(() => readParameterFlags(['min_tau=1', 'min_tau=2'], 'cocip')).toThrow(/given twice/);
  expect(() => readParameterFlags(['max_dept=1'], 'cocip')).toThrow(/Did you mean max_depth\?/);
});

test('the answer has every parameter as it was used', () => {
  const options = withParameters(DEFAULT_TRAJECTORY_OPTIONS, { max_depth: null, max_age_hours: 48 });
  const { values, units } = effectiveParameters('cocip', options);
  expect(Object.keys(values)).toEqual(Object.keys(MODEL_PARAMETERS));
  expect(values).toMatchObject({ max_depth: null, max_age_hours: 48, dt_integration_minutes: 10, dz_m: 200 });
  const withUnits = MODEL_PARAMETER_ENTRIES.filter(
    ([, entry]: readonly [string, ParameterEntry]) => 'unit' in entry,
  );
  expect(Object.keys(units)).toEqual(withUnits.map(([name]) => name));
});
