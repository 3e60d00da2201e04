import { type Command, InvalidArgumentError } from 'commander';
import { configure } from '../configure.ts';
import { example, timeFlag } from '../flags.ts';
import { print, printJson, table } from '../output.ts';

interface SampleFlags {
  readonly time: string;
  readonly at: readonly number[];
  readonly run?: string;
  readonly json?: boolean;
}

const UNITS: Readonly<Record<string, string>> = {
  air_temperature: 'K',
  specific_humidity: 'kg/kg',
  eastward_wind: 'm/s',
  northward_wind: 'm/s',
  vertical_velocity: 'Pa/s',
  geopotential: 'm2/s2',
  specific_cloud_ice_water_content: 'kg/kg',
  sdr: 'W/m2',
  rsr: 'W/m2',
  olr: 'W/m2',
};

export function defineSample(parent: Command): void {
  const command = parent
    .command('sample')
    .description('print the weather at a point as the models see it, before humidity is scaled')
    .argument('<source>', 'name of a configured source')
    .requiredOption('--time <time>', 'when, such as 2026-09-14T12:00Z')
    .requiredOption(
      '--at <lon,lat,level>',
      'where: longitude and latitude in degrees, level in hPa',
      readPoint,
    )
    .option('--run <time>', 'start of the forecast (default: the newest that has the time)')
    .option('--json', 'print JSON')
    .action(async (source: string, flags: SampleFlags) => {
      const config = await configure(command);
      const timeMs = await timeFlag('--time', flags.time);
      const run = flags.run === undefined ? undefined : await timeFlag('--run', flags.run);
      const [longitude = 0, latitude = 0, level = 0] = flags.at;
      const { sampleWeather } = await import('@contrails/service/weather');
      const { isoSecond } = await import('@contrails/runtime');
      const { referenceTime, values, radiation, radiationSource } = await sampleWeather(config, {
        ...{ source, timeMs, longitude, latitude, level },
        ...(run === undefined ? {} : { referenceTime: run }),
      });
      if (flags.json) {
        printJson({
          source,
          run: referenceTime === undefined ? null : isoSecond(referenceTime),
          time: isoSecond(timeMs),
          ...{ longitude, latitude, level, values, radiation, radiation_source: radiationSource },
        });
        return;
      }
      const rows = Object.entries(values).map(([name, value]) => [
        name,
        value === null ? '-' : String(Number(value.toPrecision(6))),
        UNITS[name] ?? '',
      ]);
      print(table(['variable', 'value', 'unit'], rows));
      print(radiation === 'none' ? 'radiation: none' : `radiation: ${radiation}, of ${radiationSource}`);
    });
  example(
    command,
    'contrails met sample ecmwf --time 2026-09-14T12:00Z --at 0,50,250',
    'contrails met sample ecmwf --time 2026-09-14T12:00Z --at=-30,40,300 --json',
  );
}

/** Limits of longitude, latitude and level. */
const LIMITS = [
  [-180, 360],
  [-90, 90],
  [1, 1100],
] as const;

function readPoint(text: string): readonly number[] {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isInside = LIMITS.every(([low, high], k) => {
    const value = numbers[k] ?? Number.NaN;
    return value >= low && value <= high;
  });
  if (numbers.length === LIMITS.length && isInside) return numbers;
  throw new InvalidArgumentError(
    'It must be longitude (-180 to 360), latitude (-90 to 90) and level (1 to 1100 hPa), such as 0,50,250.',
  );
}
