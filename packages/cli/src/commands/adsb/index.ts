import type { Command } from 'commander';
import { example } from '../../flags.ts';
import { defineFlights } from './flights.ts';

export function defineAdsb(program: Command): void {
  const adsb = program.command('adsb').description('ADS-B telemetry: from position reports to flights');
  example(adsb, 'contrails adsb flights telemetry.parquet');
  defineFlights(adsb);
}
