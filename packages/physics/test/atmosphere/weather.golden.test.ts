import { goldenCsv, goldenJson, numbers, printWorstDeviations } from '../support/golden.ts';
import * as physics from '../support/physics.ts';

printWorstDeviations();

goldenCsv('model_level_pressure.csv', (golden) => {
  const surface = golden.input('surface_pressure_pa');
  const level = golden.input('model_level');
  golden.check('pressure_hpa', (i) => physics.modelLevelHpa(level(i), surface(i)));
});

goldenCsv('humidity_level_stretch.csv', (golden) => {
  const level = golden.input('level_hpa');
  golden.check('stretched', (i) => physics.stretchLevel(level(i)));
});

interface RadiationCase {
  readonly name: string;
  readonly metadata: {
    readonly provider: string;
    readonly dataset: string;
    readonly product: string;
    readonly unit: string;
    readonly radiation_accumulated?: boolean;
  };
  readonly longitude_deg: number[];
  readonly latitude_deg: number[];
  readonly time: string[];
  readonly tsr: number[][][];
  readonly ttr: number[][][];
  readonly time_after_processing: string[];
  readonly points: { longitude_deg: number[]; latitude_deg: number[]; time: string[] };
  readonly expected: Record<'sdr_w_m2' | 'rsr_w_m2' | 'olr_w_m2', (number | null)[]>;
}

goldenJson<RadiationCase[]>('radiation.json', (golden, cases) => {
  for (const data of cases) {
    const { radiation_accumulated: accumulatedFromStart, ...source } = data.metadata;
    const accumulation = physics.radiationAccumulation({ ...source, accumulatedFromStart });
    const stamps = Float64Array.from(data.time, (time) => Date.parse(time));
    const times = physics.radiationTimesMs(accumulation, stamps);
    golden.compareAll(
      `${data.name} time`,
      times,
      data.time_after_processing.map((time) => Date.parse(time)),
    );
    const field = (nested: number[][][]): physics.GriddedField => {
      const sums = Float64Array.from(nested.flat(2));
      const values =
        accumulation === 'forecast-start'
          ? physics.deaccumulateInto(
              new Float64Array((sums.length * times.length) / stamps.length),
              sums,
              stamps,
            )
          : sums;
      return {
        axes: [Float64Array.from(data.longitude_deg), Float64Array.from(data.latitude_deg), times],
        values,
      };
    };
    const perUnit = physics.fluxPerUnit(data.metadata.unit, accumulation);
    data.points.time.forEach((text, i) => {
      const lon = data.points.longitude_deg[i] as number;
      const lat = data.points.latitude_deg[i] as number;
      const time = Date.parse(text);
      const sdr = physics.solarDirectRadiation(lon, lat, time, 0.01);
      const flux = (nested: number[][][]) => perUnit * physics.interpolate(field(nested), [lon, lat, time]);
      const expected = (key: keyof RadiationCase['expected']) => data.expected[key][i] ?? Number.NaN;
      golden.compare(`${data.name} sdr[${i}]`, sdr, expected('sdr_w_m2'));
      golden.compare(
        `${data.name} rsr[${i}]`,
        physics.reflectedSolarRadiation(sdr, flux(data.tsr)),
        expected('rsr_w_m2'),
      );
      golden.compare(
        `${data.name} olr[${i}]`,
        physics.outgoingLongwaveRadiation(flux(data.ttr)),
        expected('olr_w_m2'),
      );
    });
  }
});

type Nested = (number | null | Nested)[];
type Expected = Record<string, (number | null)[]>;

interface InterpolationCase {
  readonly longitude_deg: number[];
  readonly latitude_deg: number[];
  readonly level_hpa: number[];
  readonly time: string[];
  readonly air_temperature: Nested;
  readonly specific_humidity: Nested;
  readonly hole: Nested;
  readonly rad: Nested;
  readonly points: Record<'longitude_deg' | 'latitude_deg' | 'level_hpa', (number | null)[]> & {
    readonly time: string[];
  };
  readonly expected: { not_wrapped: Expected; wrapped: Expected };
}

goldenJson<InterpolationCase>('interpolation.json', (golden, data) => {
  const times = Float64Array.from(data.time, (time) => Date.parse(time));
  const levels = Float64Array.from(data.level_hpa);
  const pointLon = numbers(data.points.longitude_deg);
  const pointLat = numbers(data.points.latitude_deg);
  const pointLevel = numbers(data.points.level_hpa);
  const pointTime = data.points.time.map(parseNanoseconds);
  const place = (i: number) => [pointLon[i] as number, pointLat[i] as number];
  const level = (i: number) => pointLevel[i] as number;
  const time = (i: number) => pointTime[i] as number;
  for (const wrapping of ['not_wrapped', 'wrapped'] as const) {
    const wrapped = wrapping === 'wrapped';
    // −180 … 120: a global field repeats its first meridian at 180.
    const lons = Float64Array.from(wrapped ? [...data.longitude_deg, 180] : data.longitude_deg);
    const field = (nested: Nested, hasLevels = true): physics.GriddedField => ({
      axes: [lons, Float64Array.from(data.latitude_deg), ...(hasLevels ? [levels] : []), times],
      values: numbers((wrapped ? [...nested, nested[0] ?? []] : nested).flat(4) as (number | null)[]),
    });
    const linear = (nested: Nested) => (i: number) =>
      physics.interpolate(field(nested), [...place(i), level(i), time(i)]);
    const humidity = (method: physics.QMethod) => {
      const prepared = physics.humidityField(field(data.specific_humidity), 2, method);
      return (i: number) => {
        const point = [...place(i), physics.humidityLevel(level(i), method), time(i)];
        return physics.humidityValue(physics.interpolate(prepared, point), method);
      };
    };
    const answers: Record<string, (i: number) => number> = {
      linear_air_temperature: linear(data.air_temperature),
      linear_hole: linear(data.hole),
      linear_specific_humidity: humidity('none'),
      single_level_rad: (i) => physics.interpolate(field(data.rad, false), [...place(i), time(i)]),
      log_q_log_p_specific_humidity: humidity('log-q-log-p'),
      cubic_spline_specific_humidity: humidity('cubic-spline'),
    };
    for (const [name, expected] of Object.entries(data.expected[wrapping])) {
      const answer = answers[name];
      if (answer === undefined) throw new Error(`interpolation.json expects an unknown ${name}`);
      golden.compareAll(
        `${wrapping} ${name}`,
        expected.map((_, i) => answer(i)),
        numbers(expected),
      );
    }
  }
});

/** Milliseconds of an ISO time with up to nine decimals; Date.parse drops all beyond the third. */
function parseNanoseconds(text: string): number {
  const [whole = '', fraction = '0'] = text.replace('Z', '').split('.');
  return Date.parse(`${whole}Z`) + Number(`0.${fraction}`) * 1000;
}
