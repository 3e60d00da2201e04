import { cleanAndResample, filterAltitudeFt } from '../../src/aircraft/altitude-filter.ts';
import {
  groundSpeedInto,
  rocdInto,
  rocdTemperatureCorrectedInto,
  segmentDurationInto,
  segmentGeometryInto,
  segmentLengthInto,
  smoothGroundSpeedInto,
  trueAirspeedInto,
} from '../../src/aircraft/kinematics.ts';
import { flightPhaseInto } from '../../src/aircraft/phase.ts';
import { addPseudoWaypoints } from '../../src/aircraft/pseudo-waypoints.ts';
import { type ResampleOptions, resampleAndFill } from '../../src/aircraft/resample.ts';
import { smoothLinearInto } from '../../src/aircraft/smoothing.ts';
import { levelFromAltitudeM } from '../../src/atmosphere/isa.ts';
import type { FlightWith } from '../../src/flight-columns.ts';
import { maxIgnoringNaN, sumIgnoringNaN } from '../../src/numerics/sums.ts';
import { feetToMetres } from '../../src/units.ts';
import { type Golden, goldenJson, numbers, printWorstDeviations } from '../support/golden.ts';

printWorstDeviations();

type Json = readonly (number | string | null)[];
interface Case {
  readonly name: string;
  readonly options?: Readonly<Record<string, string | number>>;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly expected: Readonly<Record<string, Json>>;
}

const times = (list: Json | undefined): Float64Array =>
  Float64Array.from(list ?? [], (text) => Date.parse(String(text)));
const column = (columns: Readonly<Record<string, Json>>, name: string): Float64Array =>
  numbers(columns[name] ?? []);

/** Compares every column of a case, times in seconds from the first; a column that is not offered fails. */
function compareColumns(
  golden: Golden,
  item: Case,
  actual: Readonly<Record<string, Float64Array | number>>,
): void {
  for (const [name, expected] of Object.entries(item.expected)) {
    const where = `${item.name} ${name}`;
    const value = actual[name];
    if (value === undefined) throw new Error(`${where} is not computed`);
    if (name === 'time') {
      const start = times(expected)[0] ?? 0;
      const seconds = (list: Float64Array): Float64Array => list.map((time) => (time - start) / 1000);
      golden.compareAll(where, seconds(value as Float64Array), seconds(times(expected)));
    } else if (typeof value === 'number') {
      golden.compare(where, value, Number(expected));
    } else {
      golden.compareAll(where, value, numbers(expected));
    }
  }
}

goldenJson<readonly Case[]>('flight_segments.json', (golden, cases) => {
  for (const item of cases) {
    const timeMs = times(item.inputs.time);
    const n = timeMs.length;
    const altitudeFt = column(item.inputs, 'altitude_ft');
    const altitudeM = altitudeFt.map(feetToMetres);
    const make = (): Float64Array => new Float64Array(n);
    const durationS = segmentDurationInto(make(), timeMs);
    const geometry = { haversineM: make(), sinA: make(), cosA: make() };
    segmentGeometryInto(geometry, column(item.inputs, 'longitude_deg'), column(item.inputs, 'latitude_deg'));
    const lengthM = segmentLengthInto(make(), geometry.haversineM, altitudeM);
    const raw = groundSpeedInto(make(), geometry.haversineM, durationS);
    const smooth = smoothGroundSpeedInto(make(), raw);
    const airspeed = (speed: Float64Array): Float64Array =>
      trueAirspeedInto(
        make(),
        speed,
        geometry.sinA,
        geometry.cosA,
        column(item.inputs, 'u_m_s'),
        column(item.inputs, 'v_m_s'),
      );
    const rocd = rocdInto(make(), durationS, altitudeFt);
    compareColumns(golden, item, {
      altitude_m: altitudeM,
      level_hpa: altitudeM.map(levelFromAltitudeM),
      segment_duration_s: durationS,
      segment_haversine_m: geometry.haversineM,
      segment_length_m: lengthM,
      sin_a: geometry.sinA,
      cos_a: geometry.cosA,
      groundspeed_raw_m_s: raw,
      groundspeed_smooth_m_s: smooth,
      true_airspeed_m_s: airspeed(smooth),
      true_airspeed_raw_m_s: airspeed(raw),
      rocd_ft_min: rocd,
      rocd_temperature_corrected_ft_min: rocdTemperatureCorrectedInto(
        make(),
        durationS,
        altitudeFt,
        column(item.inputs, 'temperature_k'),
      ),
      phase_1climb_2cruise_3descent_4level_5unknown: Float64Array.from(
        flightPhaseInto(new Uint8Array(n), rocd, altitudeFt),
      ),
      length_m: sumIgnoringNaN(lengthM),
      max_gap_m: maxIgnoringNaN(lengthM),
    });
  }
});

goldenJson<readonly Readonly<Record<string, Json>>[]>('savitzky_golay.json', (golden, cases) => {
  cases.forEach((item, k) => {
    const input = column(item, 'input');
    for (const window of [7, 17]) {
      const smooth = smoothLinearInto(new Float64Array(input.length), input, window);
      golden.compareAll(`case ${k} window ${window}`, smooth, column(item, `window_${window}_order_1`));
    }
  });
});

goldenJson<readonly Case[]>('resample_and_fill.json', (golden, cases) => {
  for (const item of cases) compareTrack(golden, item, resampleAndFill(trackOf(item), optionsOf(item)));
});

goldenJson<readonly Case[]>('clean_and_resample.json', (golden, cases) => {
  for (const item of cases) compareTrack(golden, item, cleanAndResample(trackOf(item), optionsOf(item)));
});

goldenJson<readonly Case[]>('filter_altitude.json', (golden, cases) => {
  for (const item of cases) {
    compareColumns(golden, item, {
      altitude_ft: filterAltitudeFt(times(item.inputs.time), column(item.inputs, 'altitude_ft')),
    });
  }
});

goldenJson<readonly Case[]>('pseudo_waypoints.json', (golden, cases) => {
  for (const item of cases) {
    const track = addPseudoWaypoints({ ...trackOf(item), altitudeFt: column(item.inputs, 'altitude_ft') });
    compareColumns(golden, item, {
      longitude_deg: track.longitude,
      latitude_deg: track.latitude,
      altitude_ft: track.altitudeFt,
      time: track.timeMs,
    });
  }
});

function trackOf(item: Case): FlightWith<'altitudeM'> {
  const altitudeM = item.inputs.altitude_m
    ? column(item.inputs, 'altitude_m')
    : column(item.inputs, 'altitude_ft').map(feetToMetres);
  return {
    timeMs: times(item.inputs.time),
    longitude: column(item.inputs, 'longitude_deg'),
    latitude: column(item.inputs, 'latitude_deg'),
    altitudeM,
  };
}

function optionsOf(item: Case): ResampleOptions {
  const { freq, fill_method, geodesic_threshold, ...rest } = item.options ?? {};
  if (Object.keys(rest).length > 0) throw new Error(`unknown options ${Object.keys(rest)}`);
  return {
    freqMs: freq === undefined ? undefined : Number.parseFloat(String(freq)) * 1000,
    fillMethod: fill_method as ResampleOptions['fillMethod'],
    geodesicThresholdM: geodesic_threshold as number | undefined,
  };
}

function compareTrack(golden: Golden, item: Case, track: FlightWith<'altitudeM'>): void {
  compareColumns(golden, item, {
    longitude_deg: track.longitude,
    latitude_deg: track.latitude,
    altitude_m: track.altitudeM,
    time: track.timeMs,
  });
}
