/** What pycontrails makes of the ensemble of the reference: its scaling of all members, and flights that it has evaluated. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readTools } from '../../../../../test/support/tools.ts';
import { forcingDeviation, readReference, referenceFile } from '../../../../engine/test/support/reference.ts';
import type { MetSourceConfig } from '../../../src/config/met-sources.ts';
import { startTrial } from './support.ts';

interface Evaluated {
  readonly member: number;
  readonly q_method: string | null;
  readonly energy_forcing: number[];
  readonly contrail_age: number[];
  readonly rhi: number[];
}

interface Answer {
  readonly energy_forcing: number[];
  readonly contrail_age: number[];
  readonly rhi: number[];
  readonly humidity_scaling_name: string;
  readonly uncertainty: {
    readonly met_members: number[];
    readonly sample_values: Readonly<Record<string, number[]>>;
  };
}

const { python, missing } = readTools();
const [metFile, radFile] = ['ensemble.met.nc', 'ensemble.rad.nc'].map((name) =>
  referenceFile(`uncertainty/met/${name}`),
);
const reference = readReference<{ body: Record<string, unknown> }>('uncertainty/members.json');

const SCALING = 'humidity_scaling=histogram_matching_with_eckel';

describe.skipIf(python === null || reference === undefined)(
  python === null
    ? `skipped: ${missing.python}`
    : 'an ensemble in pycontrails and here (in ../shared/reference)',
  async () => {
    if (python === null || reference === undefined || metFile === undefined || radFile === undefined) return;
    const [met, rad] = [fileURLToPath(metFile), fileURLToPath(radFile)];
    const ten = join(await temporaryDirectory(), 'ten.nc');
    const program = fileURLToPath(new URL('./programs/eckel.py', import.meta.url));
    const run = promisify(execFile);
    const { stdout } = await run(python, [program, met, rad, JSON.stringify(reference.body), ten]);
    const peer = JSON.parse(stdout) as Evaluated[];
    const evaluatedProgram = fileURLToPath(new URL('./programs/evaluated_flight.py', import.meta.url));
    const evaluated = (await run(python, [evaluatedProgram, met, rad, JSON.stringify(reference.body)]))
      .stdout;
    const source = (name: string, levels: string): MetSourceConfig => ({
      ...{ name, kind: 'netcdf', paths: [levels, rad], directory: '.', provider: 'ECMWF', dataset: 'ERA5' },
      ...{ product: 'reanalysis', type: undefined, radiationAccumulated: false, radiationHours: undefined },
      ...{ member: 'all', levels: undefined, s3Endpoint: undefined, s3Region: undefined, s3Signed: false },
    });
    const trial = await startTrial(10, [source('ten', ten), source('three', met)]);
    const ask = async (query: string, parameters: object = {}) => {
      const body = {
        ...reference.body,
        flight_id: 'one',
        parameters: { single_precision_forcing: true, ...parameters },
      };
      const answer = await trial.post(`cocip?${query}`, body);
      expect(answer.text.slice(0, 500)).not.toMatch(/"detail"/);
      return answer.json<Answer>();
    };
    const total = ({ energy_forcing }: Pick<Evaluated, 'energy_forcing'>) =>
      energy_forcing.reduce((sum, joules) => sum + (joules ?? 0), 0);

    test('every member equals pycontrails', async () => {
      const answer = await ask(`met_source=ten&met_members=all&${SCALING}&include=met,samples`);
      const { uncertainty } = answer;
      expect(answer.humidity_scaling_name).toBe('histogram_matching_with_eckel');
      expect(uncertainty.met_members).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      const ofMembers = peer.filter(({ q_method }) => q_method === null);
      expect(ofMembers.map(total).every((joules) => joules !== 0)).toBe(true);
      const [first] = ofMembers;
      expect(answer.contrail_age).toEqual(first?.contrail_age);
      expect(forcingDeviation(answer.energy_forcing, first?.energy_forcing ?? []).waypoint).toBeLessThan(
        1e-5,
      );
      answer.rhi.forEach((rhi, i) => {
        expect(Math.abs(rhi - (first?.rhi[i] ?? 0))).toBeLessThan(1e-6);
      });
      for (const one of ofMembers) {
        const found = uncertainty.sample_values.energy_forcing?.[one.member] ?? Number.NaN;
        expect(Math.abs(found / total(one) - 1), `member ${one.member}`).toBeLessThan(1e-5);
      }
    });

    test.each(['cubic-spline', 'log-q-log-p'])('with humidity by %s as well', async (method) => {
      const parameters = { interpolation_q_method: method };
      const answer = await ask(`met_source=ten&met_members=all&${SCALING}`, parameters);
      const wanted = peer.find(({ q_method }) => q_method === method);
      expect(answer.contrail_age).toEqual(wanted?.contrail_age);
      expect(forcingDeviation(answer.energy_forcing, wanted?.energy_forcing ?? []).waypoint).toBeLessThan(
        1e-5,
      );
    });

    test.each([
      [
        'met_source=ten',
        /histogram_matching_with_eckel needs the humidity of all ten members.*add met_members=all/,
      ],
      ['met_source=ten&met_members=0,1', /add met_members=all/],
      ['met_source=three&met_members=all', /needs the 10 members of the ERA5 ensemble.*has 3; choose/],
      [
        'met_source=demo&met_members=all',
        /demo serves no members; choose one that does with met_source: ten/,
      ],
      [
        'met_source=ten&met_members=all&uncertainty=10&uncertainty_parameters=humidity',
        /calibrates already; leave it out/,
      ],
      ['met_source=ten&met_members=all&rhi_adj=0.9', /rhi_adj is not a parameter of humidity_scaling/],
    ])('%s is refused with the remedy', async (query, message) => {
      const answer = await trial.post(`cocip?${SCALING}&${query}`, reference.body);
      expect(answer.status).toBe(422);
      expect(answer.text).toMatch(message);
    });

    describe('a flight that pycontrails has evaluated', () => {
      // As Python wrote it, tokens that are no JSON included.
      const [, sent = ''] = /"flight": (\{.*\}), "energy_forcing"/.exec(evaluated) ?? [];
      const wanted = JSON.parse(evaluated.replaceAll('NaN', 'null')) as Pick<
        Evaluated,
        'energy_forcing' | 'contrail_age'
      >;
      const path = 'cocip?met_source=three&humidity_scaling=constant_scale&rhi_adj=0.97';
      const withNaN = { 'content-type': 'application/json; nan=null' };

      test('is a body as Flight.to_dict() has it, and gives what pycontrails found', async () => {
        expect(sent).toContain('NaN');
        const answer = await trial.post(path, sent, withNaN);
        expect(answer.status).toBe(200);
        const found = answer.json<Answer>();
        expect(found.contrail_age).toEqual(wanted.contrail_age);
        // Its places are rounded to three digits, and its weather is in single precision.
        const deviation = wanted.energy_forcing.reduce(
          (sum, joules, i) => sum + Math.abs((found.energy_forcing[i] ?? 0) - joules),
          0,
        );
        const all = wanted.energy_forcing.reduce((sum, joules) => sum + Math.abs(joules), 0);
        expect(deviation / all).toBeLessThan(1e-2);
      });

      test('is refused without the word on NaN, with the remedy', async () => {
        const answer = await trial.post(path, sent);
        expect(answer.status).toBe(422);
        expect(answer.text).toContain('nan=null');
      });

      test('is one of a list of flights', async () => {
        const [alone, both] = await Promise.all([
          trial.post(path, sent, withNaN),
          trial.post(path, `[${sent}, ${sent.replaceAll('"evaluated"', '"again"')}]`, withNaN),
        ]);
        const { energy_forcing: one } = alone.json<Answer>();
        expect(both.text.slice(0, 500)).not.toMatch(/"detail"|"errors"/);
        expect(both.json<Answer>().energy_forcing).toEqual([...one, ...one]);
      });
    });

    test('models without members refuse it with the remedy', async () => {
      const answer = await trial.post(`issr?${SCALING}`, reference.body);
      expect(answer.status).toBe(422);
      expect(answer.text).toMatch(
        /humidity_scaling histogram_matching_with_eckel is not served; choose from none/,
      );
    });
  },
);
