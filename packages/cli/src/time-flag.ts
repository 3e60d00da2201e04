/** The instant that the text of a flag stands for [ms since 1970]. */
export async function timeFlag(flag: string, text: string): Promise<number> {
  const { explainTime, parseTimeMs } = await import('@contrails/service/time');
  const ms = parseTimeMs(text);
  if (Number.isFinite(ms)) return ms;
  const { UsageError } = await import('@contrails/service/errors');
  throw new UsageError(explainTime(flag, text));
}
