import { HORIZONS, useMetric } from '../shell/metric.ts';
import { distanceText, energyText, massText } from '../text.ts';
import { co2eOf, meaningOf, type Totals } from './result.ts';

/** What the flight does, in numbers and in a sentence. */
export function TotalsTable({ totals }: { readonly totals: Totals }) {
  const metric = useMetric();
  const { distanceKm, contrailKm, fuelKg, co2Kg, energyForcing } = totals;
  const mass = (kilograms: number | null) => (kilograms === null ? 'unknown' : massText(kilograms));
  return (
    <div class="totals">
      <p class="meaning">{meaningOf(totals, metric)}</p>
      <dl class="facts">
        <dt>Flown</dt>
        <dd>{distanceText(distanceKm)}</dd>
        <dt>Fuel</dt>
        <dd>{mass(fuelKg)}</dd>
        <dt>CO₂ of the fuel</dt>
        <dd>{mass(co2Kg)}</dd>
        <dt>Lasting contrails</dt>
        <dd>{distanceText(contrailKm)}</dd>
        <dt>Energy forcing</dt>
        <dd>{energyForcing === null ? 'unknown' : energyText(energyForcing)}</dd>
        <dt>
          Contrails as CO₂e
          <small>
            {metric.metric.toUpperCase()} over 20, 50, 100 years{metric.efficacy ? '' : ', without efficacy'}
          </small>
        </dt>
        <dd>
          {HORIZONS.map((horizon) => (
            <div key={horizon}>{mass(co2eOf(totals, { ...metric, horizon }))}</div>
          ))}
        </dd>
      </dl>
    </div>
  );
}
