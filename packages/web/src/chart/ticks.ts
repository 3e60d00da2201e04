/** Round numbers from at or below a minimum to at or above a maximum, about so many. */
export function roundTicks(min: number, max: number, count: number): number[] {
  const span = max > min ? max - min : Math.max(Math.abs(max), 1);
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.floor(min / step + 1e-9);
  const last = Math.max(Math.ceil(max / step - 1e-9), first + 1);
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}
