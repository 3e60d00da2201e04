import { describe, expect, test } from 'vitest';
import { startTrial } from '../trajectory/support.ts';

const trial = await startTrial();
const PLACE = 'bbox=-180,36,-172,44&flight_level=330,340&format=geojson&simplify=0&aircraft_type=B738';

const get = (query: string) =>
  trial.send({ method: 'GET', url: `/v0/grid/cocip?${query}`, headers: { 'x-api-key': trial.key } });

interface Feature {
  readonly properties: Record<string, unknown>;
  readonly geometry: { readonly coordinates: unknown[] };
}

async function features(more: string, threshold = 1): Promise<readonly Feature[]> {
  const answer = await get(`${PLACE}&time=2024-02-29T06:00:00Z&threshold=${threshold}&${more}`);
  expect(answer.text.slice(0, 500)).not.toMatch(/"errors"/);
  expect(answer.status).toBe(200);
  return answer.json<{ features: Feature[] }>().features;
}

/** The shapes of the cells that reach each of some thresholds. */
const shapes = async (more: string) =>
  Promise.all(
    [1, 1e7, 5e7, 1e8, 2e8, 4e8].map(async (threshold) =>
      (await features(more, threshold)).map(({ geometry }) => geometry.coordinates),
    ),
  );

const [plain] = await features('on_request=true');
const plainShapes = await shapes('on_request=true');

describe('a contrail grid that is computed for a request', () => {
  test('is that of the forecast without options', () => {
    expect(plain?.properties).toMatchObject({
      cocip_dt_integration: '5 minutes',
      cocip_max_contrail_age: '12 hours',
      humidity_scaling_name: 'exponential_boost_latitude_customization',
    });
    expect(plain?.geometry.coordinates).not.toEqual([]);
  });

  test.each([
    ['humidity_scaling=none', { humidity_scaling_name: 'none' }],
    ['humidity_scaling=exponential_boost&rhi_adj=0.9', { humidity_scaling_rhi_adj: 0.9 }],
    ['dt_integration_minutes=30', { cocip_dt_integration: '30 minutes' }],
    ['max_age_hours=1', { cocip_max_contrail_age: '1 hours' }],
    ['azimuth=90', { azimuth: 90 }],
    ['fuel=SAF&saf_blend_pct=50', { fuel: 'SAF', saf_blend_pct: 50 }],
    ['aircraft_mass=55000', { aircraft_mass: 55_000 }],
  ])('%s changes it, and it says so', async (more, attributes) => {
    const [grid] = await features(more);
    expect(grid?.properties).toMatchObject(attributes);
    expect(await shapes(more)).not.toEqual(plainShapes);
  });

  test('has any time', async () => {
    const answer = await get(`${PLACE}&time=2024-02-29T06:17:30Z&on_request=true`);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('2024-02-29T06:17:30Z');
  });

  test.each([
    ['aircraft_mass=1000', 'aircraft_mass 1000 is not possible for B738; give a number from'],
    ['fuel=SAF', 'fuel SAF and saf_blend_pct go together'],
    ['azimuth=361', 'azimuth 361 is out of range; give a number from 0 to 360'],
    ['rhi_adj=0.9', 'rhi_adj is not a parameter of humidity_scaling exponential_boost_latitude'],
    ['max_age_hours=25', 'max_age_hours 25 is out of range'],
  ])('%s is refused', async (more, sentence) => {
    const answer = await get(`${PLACE}&time=2024-02-29T06:00:00Z&${more}`);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(sentence);
  });

  test('is refused with what to do when it would take too long', async () => {
    const answer = await get('time=2024-02-29T06:00:00Z&aircraft_type=B738&dt_integration_minutes=1');
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('give a smaller bbox, fewer flight levels');
  });
});

test('cells larger than two degrees have neighbours and costs', async () => {
  const coarse = await startTrial(10, [], { CONTRAILS_FORECAST__CELLS_PER_DEGREE: '0.25' });
  const answer = await coarse.send({
    method: 'GET',
    url: '/v0/grid/cocip?bbox=-60,30,-40,44&flight_level=330&time=2024-02-29T06&aircraft_type=B738&on_request=true&neighbourhood_km=400&units=cost_per_nm',
    headers: { 'x-api-key': coarse.key },
  });
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
});
