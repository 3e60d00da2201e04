import type { Command } from 'commander';
import { example } from '../../flags.ts';
import { defineExplain } from './explain.ts';
import { defineFetch } from './fetch.ts';
import { defineFlights } from './flights.ts';
import { defineHours, defineReopen } from './hours.ts';
import { defineImport } from './import.ts';
import { defineQuarantine } from './quarantine.ts';
import { defineRead } from './read.ts';

export function defineAdsb(program: Command): void {
  const adsb = program
    .command('adsb')
    .description('ADS-B telemetry: reports of aircraft, and flights from them');
  example(adsb, 'contrails adsb read aircraft.json --json');
  defineRead(adsb);
  defineFlights(adsb);
  defineExplain(adsb);
  defineFetch(adsb);
  defineImport(adsb);
  defineHours(adsb);
  defineReopen(adsb);
  defineQuarantine(adsb);
}
