import { distanceText, energyText, massText } from '../text.ts';
import { meaningOf, type Totals } from './result.ts';

/** What the flight does, in numbers and in a sentence. */
export function TotalsTable({ totals }: { readonly totals: Totals }) {
  const { distanceKm, contrailKm, fuelKg, co2Kg, energyForcing, co2eKg } = totals;
  const mass = (kilograms: number | null) => (kilograms === null ? 'unknown' : massText(kilograms));
  return (
    <div class="totals">
      <p class="meaning">{meaningOf(totals)}</p>
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
          <small>over 20, 50, 100 years</small>
        </dt>
        <dd>
          {mass(co2eKg[20])}
          <br />
          {mass(co2eKg[50])}
          <br />
          {mass(co2eKg[100])}
        </dd>
      </dl>
    </div>
  );
}
