/** sac, issr and pcr on a grid, level by level. */
import { type MetField, openGridRows } from '@contrails/met';
import { issrInto, JET_A1, pcrInto, sacInto } from '@contrails/physics';
import { pressureOf } from '../../grids/layout.ts';
import { type ChosenScaling, scaleHumidityBy } from '../../weather/humidity-scaling.ts';
import type { BinaryModel } from './models.ts';

/** What is to be evaluated where; plain data with the weather in shared memory, so that a thread can be sent it. */
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
 * Answers a function that evaluates one flight level: longitude by longitude, latitude running fastest. Its result is
 * valid until the next call.
 */
export function levelEvaluator(field: BinaryField): (flightLevel: number) => Float32Array {
  const { longitude, latitude } = field;
  const [columns, rows] = [longitude.length, latitude.length];
  const weather = openGridRows(field.weather, longitude, field.timeMs, field.humidityMethod);
  const column = () => new Float64Array(columns);
  const [temperature, humidity, pressure, latitudes] = [column(), column(), column(), column()];
  const flagsOf = rowEvaluator(field);
  const plane = new Float32Array(columns * rows);
  return (flightLevel) => {
    const levelHpa = pressureOf(flightLevel);
    weather.toLevel(levelHpa);
    pressure.fill(100 * levelHpa);
    for (let row = 0; row < rows; row++) {
      weather.sampleInto(temperature, humidity, latitude[row] as number);
      latitudes.fill(latitude[row] as number);
      const flags = flagsOf({ temperature, humidity, pressure, latitudes });
      for (let i = 0; i < columns; i++) plane[i * rows + row] = flags[i] as number;
    }
    return plane;
  };
}

/** One parallel: T [K], specific humidity (overwritten by the scaled one), pressure [Pa] and latitude [°]. */
interface Row {
  readonly temperature: Float64Array;
  readonly humidity: Float64Array;
  readonly pressure: Float64Array;
  readonly latitudes: Float64Array;
}

function rowEvaluator(field: BinaryField): (row: Row) => Float64Array {
  const count = field.longitude.length;
  const scale = scaleHumidityBy(field.scaling);
  const [rhi, issr, sac] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  const intoSac = ({ temperature, humidity, pressure }: Row) =>
    sacInto(
      { sac },
      {
        specificHumidity: humidity,
        temperatureK: temperature,
        pressurePa: pressure,
        engineEfficiency: field.engineEfficiency,
        eiH2o: JET_A1.eiH2o,
        qFuelJKg: JET_A1.qFuelJKg,
      },
      'grid',
    );
  return (row) => {
    scale(row.humidity, rhi, row.temperature, row.pressure, row.latitudes, count);
    if (field.model !== 'issr') intoSac(row);
    if (field.model === 'sac') return sac;
    issrInto(issr, rhi, row.temperature);
    return field.model === 'issr' ? issr : (pcrInto(issr, issr, sac) as Float64Array);
  };
}
