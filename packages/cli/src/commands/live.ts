import type { SkyUpdate } from '@contrails/service/live';
import type { Command } from 'commander';
import { configureExisting, openLog } from '../configure.ts';
import { example, integer } from '../flags.ts';
import { print, table } from '../output.ts';

interface LiveFlags {
  readonly once?: boolean;
  readonly json?: boolean;
  readonly limit: number;
}

type Flight = SkyUpdate['flights'][number];

export function defineLive(program: Command): void {
  const command = program
    .command('live')
    .description('follow the aircraft in the air and the contrails they leave, until Ctrl-C')
    .option('--once', 'print the sky once and end')
    .option('--json', 'print one line of JSON for each update')
    .option('--limit <n>', 'maximum number of flights in the table', integer(1, 20_000), 20)
    .action(async (flags: LiveFlags) => {
      const config = await configureExisting(command);
      const { openDataOnly } = await import('@contrails/service/services');
      const { followSky } = await import('@contrails/service/live');
      const log = await openLog(config);
      const services = await openDataOnly(config, log);
      const stopping = new AbortController();
      const stop = () => stopping.abort();
      process.once('SIGINT', stop).once('SIGTERM', stop);
      try {
        for await (const update of followSky(services, config, log, stopping.signal)) {
          print(flags.json ? JSON.stringify(jsonOf(update)) : screenOf(update, flags));
          if (flags.once) break;
        }
      } finally {
        process.off('SIGINT', stop).off('SIGTERM', stop);
        await services.close();
      }
    });
  example(command, 'contrails live', 'contrails live --once --limit 50', 'contrails live --json');
}

function jsonOf({ cycle, summary, changed }: SkyUpdate) {
  return { cycle, summary, flights: changed };
}

const CLEAR_SCREEN = '\x1b[2J\x1b[H';

function screenOf({ summary, flights }: SkyUpdate, { once, limit }: LiveFlags): string {
  const size = ({ properties }: Flight) => Math.abs(properties.energy_forcing_so_far_j ?? 0);
  const largest = [...flights].sort((a, b) => size(b) - size(a)).slice(0, limit);
  const headings = ['callsign', 'type', 'state', 'altitude', 'speed', 'contrail', 'so far', 'whole', 'ahead'];
  const text = `${sentence(summary, flights.length)}\n\n${table(headings, largest.map(rowOf))}`;
  return once || !process.stdout.isTTY ? text : `${CLEAR_SCREEN}${text}`;
}

function sentence(summary: SkyUpdate['summary'], aircraft: number): string {
  if (summary === null) return `${aircraft} aircraft`;
  const { time, airborne, forming_persistent, living_contrail_km, net_forcing_w } = summary;
  const megawatts = Math.round(net_forcing_w / 1e6);
  return `${time}: ${airborne} aircraft in the air, ${forming_persistent} leave contrails that last; ${living_contrail_km} km of contrails with a net forcing of ${megawatts} MW`;
}

function rowOf({ properties }: Flight): string[] {
  const { callsign, icao_address, aircraft_type_icao, state, persistent, ahead } = properties;
  return [
    callsign ?? icao_address,
    aircraft_type_icao ?? '-',
    state,
    withUnit(properties.altitude_ft, 'ft'),
    withUnit(properties.ground_speed_kt, 'kt'),
    persistent === null ? 'unknown' : persistent ? 'lasts' : 'no',
    terajoules(properties.energy_forcing_so_far_j),
    terajoules(properties.energy_forcing_j),
    ahead === null ? '-' : `${ahead.persistent_km} km`,
  ];
}

function withUnit(value: number | null, unit: string): string {
  return value === null ? '-' : `${value} ${unit}`;
}

function terajoules(joules: number | null): string {
  return joules === null ? '-' : `${(joules / 1e12).toFixed(2)} TJ`;
}
