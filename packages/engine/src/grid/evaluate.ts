/** sac, issr and pcr on a grid, level by level. */
import { type MetField, openGridRows } from '@contrails/met';
import { JET_A1 } from '@contrails/physics/emissions';
import { issrInto, pcrInto, sacLevel } from '@contrails/physics/formation';
import { type ChosenScaling, scaleHumidityBy } from '../weather/humidity-scaling.ts';
import { pressureOf } from './layout.ts';
import type { BinaryModel } from './models.ts';

/** What is to be evaluated where; plain data with the weather in shared memory, so a thread can be sent it. */
export interface BinaryField {
  readonly model: BinaryModel;
  /** Weather that begins with temperature and has humidity. */
  readonly weather: MetField;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly timeMs: number;
  readonly scaling: ChosenScaling;
  readonly engineEfficiency: number;
  readonly humidityMethod?: 'none' | 'cubic-spline';
}

/**
 * Returns a function that evaluates one flight level: longitude by longitude, latitude running fastest. Its result is
 * valid until the next call.
 */
export function levelEvaluator(field: BinaryField): (flightLevel: number) => Float32Array {
  const { longitude, latitude } = field;
  const weather = openGridRows(field.weather, longitude, field.timeMs, field.humidityMethod);
  const plane = new Plane(longitude.length, latitude.length);
  const toLevel = levelFlags(field);
  const [temperature, humidity] = [new Float64Array(longitude.length), new Float64Array(longitude.length)];
  return (flightLevel) => {
    const levelHpa = pressureOf(flightLevel);
    weather.toLevel(levelHpa);
    const flagsOf = toLevel(100 * levelHpa);
    latitude.forEach((degrees, row) => {
      weather.sampleInto(temperature, humidity, degrees);
      plane.setRow(row, flagsOf(temperature, humidity, degrees));
    });
    return plane.values;
  };
}

/** Evaluates one parallel; specific humidity is overwritten by the scaled one. */
type RowEvaluator = (
  temperatureK: Float64Array,
  specificHumidity: Float64Array,
  latitude: number,
) => Float64Array;

function levelFlags(field: BinaryField): (pressurePa: number) => RowEvaluator {
  const { model, engineEfficiency } = field;
  const count = field.longitude.length;
  const scale = scaleHumidityBy(field.scaling);
  const column = () => new Float64Array(count);
  const [rhi, issr, sac, pressure, latitudes] = [column(), column(), column(), column(), column()];
  return (pressurePa) => {
    const sacInto = sacLevel({ pressurePa, engineEfficiency, fuel: JET_A1 });
    pressure.fill(pressurePa);
    return (temperatureK, specificHumidity, latitude) => {
      scale(specificHumidity, rhi, temperatureK, pressure, latitudes.fill(latitude), count);
      if (model !== 'issr') sacInto(sac, specificHumidity, temperatureK);
      if (model === 'sac') return sac;
      issrInto(issr, rhi, temperatureK);
      if (model === 'pcr') pcrInto(issr, issr, sac);
      return issr;
    };
  };
}

/** Rows that are brought over together: a line of the processor's cache holds as many values. */
const ROWS_AT_ONCE = 16;

/** A plane in which latitude runs fastest, filled parallel by parallel from the first to the last. */
class Plane {
  readonly values: Float32Array;
  private readonly columns: number;
  private readonly rows: number;
  private readonly waiting: Float32Array;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.values = new Float32Array(columns * rows);
    this.waiting = new Float32Array(columns * ROWS_AT_ONCE);
  }

  setRow(row: number, values: Float64Array): void {
    const index = row % ROWS_AT_ONCE;
    this.waiting.set(values, index * this.columns);
    if (index === ROWS_AT_ONCE - 1 || row === this.rows - 1) this.bringOver(row - index, index + 1);
  }

  private bringOver(first: number, count: number): void {
    const { values, waiting, columns, rows } = this;
    for (let i = 0; i < columns; i++) {
      const to = i * rows + first;
      for (let k = 0; k < count; k++) values[to + k] = waiting[k * columns + i] as number;
    }
  }
}
