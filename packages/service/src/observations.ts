/** Observations for commands. */
import type { Config } from './configuration.ts';
import { UsageError } from './errors.ts';
import { observationRules, SATELLITES } from './families/observations/config.ts';
import { type Verification, verifyDate } from './families/observations/verification.ts';
import type { Log } from './log.ts';
import { openServices } from './open.ts';

export type { Verification } from './families/observations/verification.ts';

/** What a satellite saw on a date against what the inventory of the date says; the configured satellite unless given. */
export async function verifyObservations(
  config: Config,
  log: Log,
  date: string,
  satellite?: string,
): Promise<Verification> {
  const named = satellite ?? observationRules(config.observations).satellite;
  const known = SATELLITES.find((one) => one === named);
  if (known === undefined) {
    throw new UsageError(
      named === undefined
        ? `no satellite is configured; give --satellite (${SATELLITES.join(', ')})`
        : `--satellite is ${named}; choose from ${SATELLITES.join(', ')}`,
    );
  }
  const services = await openServices(config, log);
  try {
    return await verifyDate(services, known, date);
  } finally {
    await services.close();
  }
}
