import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { orbitalPosition, solarIrradiance } from '../../src/atmosphere/solar.ts';
import { activationRadii, solveActivationRadiusM } from '../../src/cocip/activation-radius.ts';
import { erf } from '../../src/cocip/erf.ts';
import { overlapContrails } from '../../src/cocip/overlap.ts';
import { DEFAULT_COCIP_PARAMS } from '../../src/cocip/params.ts';
import { makePlumes } from '../../src/cocip/plumes.ts';
import { volatileActivation } from '../../src/cocip/volatile-activation.ts';
import { unitTable } from '../support/cocip-units.ts';
import { Golden, numbers, printWorstDeviations } from '../support/golden.ts';

printWorstDeviations();

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../reference/cocip/units/${file}`, import.meta.url), 'utf8'));

unitTable(
  'vpm-activation.json',
  { aei: (r) => volatileActivation(r('T'), r('p'), r('q'), r('G'), r('nvpm_ei_n')) },
  { relative: 1e-6 },
);

test('activation radii equal vpm-activation.json', () => {
  const { activation_radius: table } = read('vpm-activation.json');
  const golden = new Golden('vpm-activation.json: radii', { relative: 1e-6, absolute: 0 });
  (table.S_w as number[]).forEach((S, a) => {
    (table.kappa as number[]).forEach((kappa, b) => {
      (table.temperature as number[]).forEach((T, c) => {
        golden.compare(
          `S ${S} kappa ${kappa} T ${T}`,
          solveActivationRadiusM(S, T, kappa),
          table.radius_m[a][b][c] ?? Number.NaN,
        );
      });
    });
  });
  golden.finish();
});

test('the table of activation radii has what bisection finds', () => {
  for (const kappa of [0.005, 0.33, 0.5, 0.54]) {
    const table = activationRadii(kappa);
    for (let i = 0; i < 220; i += 5) {
      for (const T of [190, 203, 226, 249]) {
        const solved = solveActivationRadiusM(Math.exp(Math.exp(-10 + 0.05 * i)), T, kappa);
        const looked = Math.exp(table[60 * i + T - 190] as number);
        if (Number.isNaN(solved)) expect(looked).toBeNaN();
        else expect(Math.abs(looked / solved - 1)).toBeLessThan(2e-6);
      }
    }
  }
});

test('overlap equals overlap.json', () => {
  const { inputs, outputs } = read('overlap.json');
  const count = inputs.longitude.length;
  const { columns } = makePlumes(count);
  const load = (name: keyof typeof columns, from: string) => columns[name].set(numbers(inputs[from]));
  load('longitude', 'longitude');
  load('latitude', 'latitude');
  load('altitude', 'altitude');
  load('length', 'segment_length');
  load('width', 'width');
  load('radius', 'r_ice_vol');
  load('opticalDepth', 'tau_contrail');
  load('cirrusOpticalDepth', 'tau_cirrus');
  load('temperature', 'air_temperature');
  load('sdr', 'sdr');
  load('olr', 'olr');
  load('rsr', 'rsr');
  columns.solarIrradiance.fill(solarIrradiance(orbitalPosition(Date.UTC(2021, 5, 1, 12))));
  overlapContrails(columns, count, { ...DEFAULT_COCIP_PARAMS, singlePrecisionForcing: true });
  const golden = new Golden('overlap.json', { relative: 1e-9 });
  golden.compareAll('rsr', columns.rsr, numbers(outputs.rsr_overlap));
  golden.compareAll('olr', columns.olr, numbers(outputs.olr_overlap));
  golden.compareAll('tau_cirrus', columns.cirrusOpticalDepth, numbers(outputs.tau_cirrus_overlap));
  golden.compareAll('rf_sw', columns.rfSw, numbers(outputs.rf_sw_overlap));
  golden.compareAll('rf_lw', columns.rfLw, numbers(outputs.rf_lw_overlap));
  golden.compareAll('rf_net', columns.rfNet, numbers(outputs.rf_net_overlap));
  golden.finish();
});

test.each([
  [0, 0],
  [0.5, 0.5204998778130465],
  [1, 0.8427007929497149],
  [2.4, 0.9993114861033549],
  [2.6, 0.9997639655834707],
  [4, 0.9999999845827421],
  [0.015, 0.01692441816555141],
  [0.71234, 0.6862578357140197],
  [1.9876, 0.9950595461279736],
  [3.0156, 0.999979983119573],
  [5.99, 1.0],
  [-1, -0.8427007929497149],
  [Number.POSITIVE_INFINITY, 1],
])('erf(%f) equals the reference', (x, expected) => {
  expect(erf(x)).toBeCloseTo(expected, 14);
});
