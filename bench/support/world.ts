/** What forecasts of the world take, by the figures of one hour: the table of docs/scale-out.md. */
import {
  type AircraftClass,
  COCIP_AIRCRAFT_TYPES,
  type CocipAircraftType,
  plannedAircraft,
} from '@contrails/engine/grid/aircraft';

/** All 18 levels of one hour for one aircraft. */
export interface HourFigures {
  readonly cpuSeconds: number;
  /** Of the cocip grids, plus index and regions where the aircraft stands for a class. */
  readonly cocipBytes: number;
  readonly bytes: number;
}

const PARTS_OF_HOUR = 3;
const HOURS_OF_PUBLISHING = 3;
const CLASSES: readonly AircraftClass[] = ['default', 'low_e', 'high_e'];
const FORECASTS: readonly [string, number, readonly AircraftClass[], readonly CocipAircraftType[]][] = [
  ['class `default`, 59 hours, 18 levels', 59, ['default'], []],
  ['three classes', 59, CLASSES, []],
  ['11 types and 3 classes, 48 hours, every 6 h', 48, CLASSES, COCIP_AIRCRAFT_TYPES],
  ['the same with 59 hours', 59, CLASSES, COCIP_AIRCRAFT_TYPES],
];

export function worldTable({ cpuSeconds, cocipBytes, bytes }: HourFigures): string {
  const rows = FORECASTS.map(([what, hours, classes, types]) => {
    const aircraft = plannedAircraft(classes, types);
    const cpuHours = (hours * aircraft.length * cpuSeconds) / 3600;
    const stored = aircraft.map(({ aircraftClass }) => (aircraftClass === undefined ? cocipBytes : bytes));
    const gigabytes = (hours * stored.reduce((sum, one) => sum + one, 0)) / 1e9;
    return [
      what,
      hours * aircraft.length * PARTS_OF_HOUR,
      twoDigits(cpuHours),
      twoDigits(cpuHours / HOURS_OF_PUBLISHING),
      `${twoDigits(gigabytes)} GB`,
    ];
  });
  return [
    [
      'Forecast',
      'Services of a run',
      'Processor hours per run',
      `Cores for a run in ${HOURS_OF_PUBLISHING} h`,
      'Store per run',
    ],
    ['---', '---', '---', '---', '---'],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function twoDigits(value: number): number {
  return Number(value.toPrecision(2));
}
