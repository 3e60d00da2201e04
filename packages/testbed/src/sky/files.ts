/** A scene as files: imagery in the layout of ABI that readers take for real, winds, flights and truth. */
import { encodeNetcdf, type NetcdfVariable } from '@contrails/formats';
import { FRAME_STEP_MS, type Frame, scanOffsetsOf } from '@contrails/observations/frame';
import { crsOf, windowPosition } from '@contrails/observations/navigation';
import { HOUR_MS } from '@contrails/runtime';
import { fromPlane, toPlane } from './plane.ts';
import type { Scene, SceneFrame } from './scene.ts';
import { QUANTUM_K, QUANTUM_OFFSET_K } from './view.ts';

export interface SceneFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Times of ABI count from here [ms since 1970]. */
const EPOCH_MS = Date.UTC(2000, 0, 1, 12);
const LEVELS_HPA = [175, 200, 225, 250, 300, 350];
const HOURS = 7;
const STEP_DEG = 0.5;
/** Winds reach this far beyond the window [km]. */
const MARGIN_KM = 400;

/** The files of a scene, one frame after the other, then what belongs to all. */
export async function* sceneFiles(scene: Scene, frames: number): AsyncGenerator<SceneFile> {
  const lines: unknown[] = [];
  const masks: Uint8Array[] = [];
  for (let i = 0; i < frames; i++) {
    const view = scene.frame(i);
    yield { name: `frame_${String(i).padStart(2, '0')}.nc`, bytes: await encodeImagery(view.frame) };
    lines.push(linesJson(view, i));
    masks.push(view.mask);
  }
  const json = (name: string, value: unknown) => ({ name, bytes: Buffer.from(`${JSON.stringify(value)}\n`) });
  yield { name: 'truth_mask.nc', bytes: await encodeMasks(scene, masks) };
  yield { name: 'met.nc', bytes: await encodeWinds(scene) };
  yield json('truth_lines.json', lines);
  yield json('truth_contrails.json', contrailsJson(scene));
  yield json('flights.json', flightsJson(scene));
  yield json('scene.json', sceneJson(scene, frames));
}

/** A frame in the multi-band layout of ABI. */
export async function encodeImagery(frame: Frame): Promise<Buffer> {
  const { grid, rows, columns, time } = frame;
  const offsets = scanOffsetsOf(frame);
  const [first, last] = [Math.min(...offsets), Math.max(...offsets)];
  const bands = { C11: frame.t8, C14: frame.t11, C15: frame.t12 };
  const chunks = [Math.min(rows, 256), Math.min(columns, 256)];
  const axis = (name: 'x' | 'y', length: number, start: number, step: number): NetcdfVariable => ({
    name,
    dimensions: [name],
    data: Int16Array.from({ length }, (_, i) => i),
    attributes: {
      scale_factor: step,
      add_offset: start,
      units: 'rad',
      axis: name.toUpperCase(),
      standard_name: `projection_${name}_coordinate`,
    },
  });
  const seconds = (time - EPOCH_MS) / 1000;
  return Buffer.concat(
    await encodeNetcdf({
      dimensions: { y: rows, x: columns, number_of_time_bounds: 2 },
      variables: [
        axis('y', rows, grid.y0, grid.dy),
        axis('x', columns, grid.x0, grid.dx),
        { name: 'number_of_time_bounds', dimensions: ['number_of_time_bounds'], data: Int32Array.of(0, 1) },
        { name: 't', dimensions: [], data: Float64Array.of(seconds + (first + last) / 2), attributes: J2000 },
        {
          name: 'time_bounds',
          dimensions: ['number_of_time_bounds'],
          data: Float64Array.of(seconds, seconds + 570),
          attributes: J2000,
        },
        {
          name: 'goes_imager_projection',
          dimensions: [],
          data: Int32Array.of(0),
          attributes: {
            grid_mapping_name: 'geostationary',
            perspective_point_height: grid.height,
            semi_major_axis: grid.semiMajor,
            semi_minor_axis: grid.semiMinor,
            latitude_of_projection_origin: 0,
            longitude_of_projection_origin: grid.longitudeOfOrigin,
            sweep_angle_axis: grid.sweep,
          },
        },
        ...Object.entries(bands).flatMap(([name, values]) =>
          values === undefined ? [] : bandVariables(name, values, chunks),
        ),
      ],
      attributes: {
        title: 'Synthetic brightness temperatures in the layout of multi-band cloud and moisture imagery',
        platform_ID: frame.satellite,
        time_coverage_start: new Date(time).toISOString(),
        synthetic: 'true',
      },
    }),
  );
}

const J2000 = { units: 'seconds since 2000-01-01 12:00:00' };

function bandVariables(name: string, values: Float32Array, chunks: readonly number[]): NetcdfVariable[] {
  const dimensions = ['y', 'x'];
  const counts = Int16Array.from(values, (value) =>
    Number.isNaN(value) ? -1 : Math.round((value - QUANTUM_OFFSET_K) / QUANTUM_K),
  );
  return [
    {
      name: `CMI_${name}`,
      dimensions,
      chunks,
      data: counts,
      fillValue: -1,
      attributes: {
        _Unsigned: 'true',
        scale_factor: QUANTUM_K,
        add_offset: QUANTUM_OFFSET_K,
        valid_range: Int16Array.of(0, 4095),
        units: 'K',
        grid_mapping: 'goes_imager_projection',
      },
    },
    {
      name: `DQF_${name}`,
      dimensions,
      chunks,
      data: Int8Array.from(counts, (count) => (count === -1 ? 3 : 0)),
      fillValue: -1,
    },
  ];
}

async function encodeMasks({ grid }: Scene, masks: readonly Uint8Array[]): Promise<Buffer> {
  const { rows, columns } = grid;
  const index = (name: string, length: number): NetcdfVariable => ({
    name,
    dimensions: [name],
    data: Int32Array.from({ length }, (_, i) => i),
  });
  return Buffer.concat(
    await encodeNetcdf({
      dimensions: { frame: masks.length, y: rows, x: columns },
      variables: [
        index('frame', masks.length),
        index('y', rows),
        index('x', columns),
        {
          name: 'contrail_truth',
          dimensions: ['frame', 'y', 'x'],
          chunks: [1, rows, columns],
          data: new Uint8Array(Buffer.concat(masks)),
        },
      ],
    }),
  );
}

/** The winds that a forecast would have: hourly, until after the last flight. */
async function encodeWinds({ plane, winds, settings, grid }: Scene): Promise<Buffer> {
  const { startMs } = settings;
  const reachKm = MARGIN_KM + 1.3 * grid.rows * 2;
  const degrees = (from: number, to: number) => {
    const first = Math.floor(from / STEP_DEG);
    return Float64Array.from(
      { length: Math.ceil(to / STEP_DEG) - first + 1 },
      (_, i) => (first + i) * STEP_DEG,
    );
  };
  const [, south] = fromPlane(plane, 0, -reachKm);
  const [, north] = fromPlane(plane, 0, reachKm);
  const latitude = degrees(Math.max(-88, south), Math.min(88, north));
  const halfLon = Math.min(178, reachKm / plane.kmPerLon);
  const longitude = degrees(plane.lon - halfLon, plane.lon + halfLon);
  const time = Float64Array.from(
    { length: HOURS },
    (_, i) => (Math.floor(startMs / HOUR_MS) * HOUR_MS + (i - 4) * HOUR_MS) / 1000,
  );
  const count = HOURS * LEVELS_HPA.length * latitude.length * longitude.length;
  const columns = {
    u: new Float32Array(count),
    v: new Float32Array(count),
    w: new Float32Array(count),
    t: new Float32Array(count),
  };
  let i = 0;
  for (const at of time) {
    const seconds = at - startMs / 1000;
    for (const level of LEVELS_HPA) {
      for (const lat of latitude) {
        for (const lon of longitude) {
          const [x, y] = toPlane(plane, lon, lat);
          const [u, v] = winds.model(x, y, level, seconds);
          columns.u[i] = u;
          columns.v[i] = v;
          columns.w[i] = winds.omega(x, y, seconds);
          columns.t[i] = winds.temperature(x, y, level);
          i++;
        }
      }
    }
  }
  const dimensions = ['time', 'level', 'latitude', 'longitude'];
  const axis = (name: string, data: Float64Array, units: string): NetcdfVariable => ({
    name,
    dimensions: [name],
    data,
    attributes: { units },
  });
  const field = (name: keyof typeof columns, standard_name: string, units: string): NetcdfVariable => ({
    name,
    dimensions,
    chunks: [1, 1, latitude.length, longitude.length],
    data: columns[name],
    attributes: { standard_name, units },
  });
  return Buffer.concat(
    await encodeNetcdf({
      dimensions: {
        time: HOURS,
        level: LEVELS_HPA.length,
        latitude: latitude.length,
        longitude: longitude.length,
      },
      variables: [
        axis('time', time, 'seconds since 1970-01-01 00:00:00'),
        axis('level', Float64Array.from(LEVELS_HPA), 'hPa'),
        axis('latitude', latitude, 'degrees_north'),
        axis('longitude', longitude, 'degrees_east'),
        field('u', 'eastward_wind', 'm s-1'),
        field('v', 'northward_wind', 'm s-1'),
        field('w', 'lagrangian_tendency_of_air_pressure', 'Pa s-1'),
        field('t', 'air_temperature', 'K'),
      ],
    }),
  );
}

function linesJson({ frame, lines }: SceneFrame, index: number): unknown {
  const { grid } = frame;
  return {
    frame: index,
    time: iso(frame.time),
    contrails: lines.map((line) => ({
      contrail_id: line.contrail,
      flight: line.flight,
      pixels: line.pixels.map(([column, row]) => [rounded(column, 2), rounded(row, 2)]),
      scan_angle: line.pixels.map(([column, row]) => [
        rounded(grid.x0 + column * grid.dx, 8),
        rounded(grid.y0 + row * grid.dy, 8),
      ]),
      flight_time: line.flightTimesMs.map(iso),
      length_px: rounded(line.lengthPx, 1),
      age_min: rounded(line.ageMinutes, 1),
      delta_bt12: rounded(line.cooling12, 3),
      delta_btd: rounded(line.gainBtd, 3),
      contrast_ratio: rounded(line.contrast, 3),
      observable: line.observable,
    })),
  };
}

function contrailsJson({ contrails }: Scene): unknown {
  return contrails.map(({ id, flight, first, last, lifetimeS }) => ({
    contrail_id: id,
    flight: flight.flight,
    start: iso(flight.timeMs[first] as number),
    end: iso(flight.timeMs[last] as number),
    lifetime_min: rounded(lifetimeS / 60, 1),
  }));
}

function flightsJson({ flights }: Scene): unknown {
  return flights.map(({ flight, timeMs, latitude, longitude, altitudeM }) => ({
    flight,
    time: Array.from(timeMs, iso),
    latitude: Array.from(latitude, (value) => rounded(value, 5)),
    longitude: Array.from(longitude, (value) => rounded(value, 5)),
    altitude_m: altitudeM[0],
  }));
}

function sceneJson({ settings, grid, plane, contrails, flights }: Scene, frames: number): unknown {
  const { firstRow, firstColumn } = windowPosition(grid);
  const forming = new Set(contrails.map(({ flight }) => flight)).size;
  return {
    seed: settings.seed,
    satellite: settings.satellite,
    crs: crsOf(grid),
    first_row: firstRow,
    first_column: firstColumn,
    size: settings.size,
    frames,
    start: iso(settings.startMs),
    step_seconds: FRAME_STEP_MS / 1000,
    clutter: settings.clutter,
    n_flights: forming,
    n_silent: flights.length - forming,
    scan_seconds: 570,
    centre: [rounded(plane.lat, 4), rounded(plane.lon, 4)],
  };
}

function iso(ms: number): string {
  return new Date(Math.round(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
