/** Histogram matching as a formula of a vector loop, for machines that compute many points at once. */
import { indexKnots } from '../numerics/knot-index.ts';
import type { LoopBody, NumberTable } from '../vector/expression.ts';
import type { HumidityScalingOptions } from './by-name.ts';
import { quantileMap } from './histogram-matching.ts';
import { type HumidityColumn, rhiPerHumidity } from './vector.ts';

const formulas = new Map<string, LoopBody<HumidityColumn>>();

/** The formula of `histogram_matching`. One choice of quantiles has one formula. */
export function histogramFormula(options: HumidityScalingOptions): LoopBody<HumidityColumn> {
  const { levelType = 'pressure', qMethod = 'none', member } = options;
  const key = JSON.stringify([levelType, qMethod, member]);
  const formula = formulas.get(key) ?? formulaOf(options);
  formulas.set(key, formula);
  return formula;
}

function formulaOf(options: HumidityScalingOptions): LoopBody<HumidityColumn> {
  const { model, observed } = quantileMap({
    ...options,
    productType: options.member === undefined ? 'reanalysis' : 'ensemble_members',
  });
  const { firstX, lastX, partsPerUnit, x, y, slope, bend } = indexKnots(model, observed);
  const parts = [x, y, slope, bend];
  const table: NumberTable = {
    numbers: Float64Array.from({ length: 4 * x.length }, (_, k) => parts[k % 4]?.[k >> 2] as number),
  };
  return (loop, m) => {
    const perHumidity = rhiPerHumidity(m, loop.load('pressure'), loop.load('temperature'));
    const given = m.mul(perHumidity, loop.load('humidity'));
    const within = m.atMost(m.atLeast(given, firstX), lastX);
    // A number at the edge of a part may choose either of two: where they meet, both are right.
    const part = m.nearestInteger(m.sub(m.mul(m.sub(within, firstX), partsPerUnit), 0.5));
    const record = loop.chooseRecords(part, table, { first: 0, length: parts.length });
    const off = m.sub(within, loop.field(record, 0));
    const rhi = m.add(
      loop.field(record, 1),
      m.mul(off, loop.field(record, 2)),
      m.mul(m.abs(off), loop.field(record, 3)),
    );
    loop.store('rhi', rhi);
    loop.store('humidity', m.div(rhi, perHumidity));
  };
}
