import { type Column, requireSameLength } from '../numerics/columns.ts';

/**
 * Persistent-contrail region: 1 where a point is ice-supersaturated and satisfies the Schmidt–Appleman criterion
 * (flags of issr.ts and sac.ts on the same, already scaled humidity), else 0; NaN where either is unknown.
 */
export function pcrFlag(issr: number, sac: number): number {
  if (Number.isNaN(issr) || Number.isNaN(sac)) return Number.NaN;
  return issr > 0 && sac > 0 ? 1 : 0;
}

/** Loop over {@link pcrFlag}. */
export function pcrInto(out: Column, issr: Column, sac: Column): Column {
  requireSameLength(out, issr, sac);
  const n = out.length;
  for (let i = 0; i < n; i++) out[i] = pcrFlag(issr[i] as number, sac[i] as number);
  return out;
}
