import type { CocipResult } from '@contrails/client';
import { useEffect, useState } from 'preact/hooks';
import { isAbort, messageOf } from '../service.ts';
import { metricLabel, useMetric } from '../shell/metric.ts';
import { massText } from '../text.ts';
import { computeClimate } from './compute.ts';
import type { FlightResult } from './result.ts';

type Balance = Exclude<NonNullable<CocipResult['climate']>, readonly unknown[]>;

/** CO2, contrails, NOx and water vapour of the flight side by side, computed when they are asked for. */
export function ClimatePanel({ result }: { readonly result: FlightResult }) {
  const metric = useMetric();
  const { efficacy } = metric;
  const [isAsked, setAsked] = useState(false);
  const [balance, setBalance] = useState<Balance>();
  const [message, setMessage] = useState<string>();
  useEffect(() => setAsked(false), [result]);
  useEffect(() => {
    setBalance(undefined);
    setMessage(undefined);
    if (!isAsked) return;
    const own = new AbortController();
    computeClimate(result.flight, efficacy, own.signal).then(setBalance, (error: unknown) => {
      if (!own.signal.aborted && !isAbort(error)) setMessage(messageOf(error));
    });
    return () => own.abort();
  }, [result, isAsked, efficacy]);
  return (
    <details class="climate" onToggle={({ currentTarget: { open } }) => open && setAsked(true)}>
      <summary>NOx, water vapour and CO₂ beside the contrails</summary>
      {message !== undefined ? (
        <p class="error" role="alert">
          {message}
        </p>
      ) : (
        <BalanceTable balance={balance} name={metricLabel(metric)} />
      )}
    </details>
  );
}

/** The table reserves its size, so nothing below it moves when figures arrive. */
function BalanceTable({ balance, name }: { readonly balance: Balance | undefined; readonly name: string }) {
  const { species, non_co2, total, coverage, accf_v } = balance ?? {};
  const key = name.toLowerCase() as keyof Balance['total']['co2e'];
  const mass = (kilograms: number | null | undefined) =>
    kilograms === undefined ? '…' : kilograms === null ? 'unknown' : massText(kilograms);
  const rows = [
    ['CO₂ of the fuel', mass(species?.co2.kg), species?.co2],
    ['Contrails', '', species?.contrails],
    ['NOx', mass(species?.nox.kg), species?.nox],
    ['Water vapour', mass(species?.h2o.kg), species?.h2o],
    ['Beside CO₂', '', non_co2],
    ['Together', '', total],
  ] as const;
  return (
    <>
      <table class="levels" aria-busy={balance === undefined}>
        <thead>
          <tr>
            <th scope="col">Effect</th>
            <th scope="col">Emitted</th>
            <th scope="col">CO₂e, {name}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([effect, emitted, figures]) => (
            <tr key={effect}>
              <th scope="row">{effect}</th>
              <td>{emitted}</td>
              <td>{mass(figures?.co2e[key])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        Contrails by CoCiP; NOx and water vapour by climate change functions ({accf_v ?? '…'}), known for{' '}
        {coverage === null ? 'none' : `${coverage === undefined ? '…' : Math.round(100 * coverage)} %`} of the
        fuel. Their uncertainty is large.
      </p>
    </>
  );
}
