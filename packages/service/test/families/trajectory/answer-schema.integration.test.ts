import { expect, test } from 'vitest';
import { trajectoryResponse } from '../../../src/families/trajectory/schema.ts';
import { undescribed } from '../../support/closed-schema.ts';
import { fleetBody, flightBody, startTrial } from './support.ts';

const trial = await startTrial();
const flight = { ...flightBody({ waypoints: 20 }), aircraft_type: 'A320' };
const fleet = fleetBody([flightBody({ waypoints: 12 }), flightBody({ waypoints: 12, latitude: 40 })]);
const QUICK = 'max_age_hours=2&dt_integration_minutes=30';

const CASES = [
  ['sac', '', flight],
  ['emissions', '', { ...flight, hydrogen_content: 14.1, aromatics_pct: 15 }],
  ['cocip', `${QUICK}&include=co2e,contrail,climate,radiation`, flight],
  ['cocip', `${QUICK}&include=co2e,contrail,climate`, { ...fleet, sulphur_ppm: 100 }],
  ['cocip', `${QUICK}&uncertainty=8&include=samples`, flight],
  ['cocip', `${QUICK}&uncertainty=8`, fleet],
  ['cocip', QUICK, { ...flight, parameters: { rf_lw_enhancement_factor: 1.1 } }],
  ['accf', '', flight],
] as const;

test.for(CASES)('the description of %s?%s has every field of the answer', async ([model, query, body]) => {
  const answer = await trial.post(`${model}?${query}`, body);
  expect(answer.status, answer.text.slice(0, 600)).toBe(200);
  const { schema } = trajectoryResponse(model).content['application/json'];
  expect(undescribed(schema, answer.json())).toEqual([]);
});
