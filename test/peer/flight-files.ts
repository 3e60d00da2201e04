/**
 * Flight files through our readers and through public ones: operational flight plans versus `parse_ofp_xml` of pycontrails, the
 * EUROCONTROL R&D archive versus pandas, SO6 and ALL_FT+ versus `traffic`, which gets its own Python environment in `.cache`.
 * A hundred files of each are generated; the samples of SO6 and ALL_FT+ are read too. Fails when a time, a position, an altitude or a type
 * differs.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileFlight } from '../../packages/flights/src/files/index.ts';
import { fileAt, readFilesHere } from '../../packages/flights/src/files/node-host.ts';
import { readTools } from '../support/tools.ts';

const FILES = 100;
const LIMIT = 1e-9;

const { python, missing } = readTools();
if (python === null)
  throw new Error(`pycontrails cannot be run: ${missing.python ?? 'Python is not set up'}`);

interface PeerFlight {
  readonly time: readonly number[];
  readonly longitude: readonly number[];
  readonly latitude: readonly number[];
  /** Feet. */
  readonly altitude: readonly number[];
  readonly type: string | null;
}

/** Numbers from 0 to 1, the same in every run. */
let state = 20_270_203;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const between = (from: number, to: number) => from + (to - from) * random();
const two = (value: number) => String(value).padStart(2, '0');

interface Track {
  readonly start: number;
  /** Seconds after the start, longitude, latitude, flight level. */
  readonly points: readonly (readonly [number, number, number, number])[];
}

function track(): Track {
  const count = 3 + Math.floor(random() * 30);
  const [lon, lat] = [between(-170, 170), between(-80, 80)];
  const [east, north] = [between(-0.3, 0.3), between(-0.2, 0.2)];
  let seconds = 0;
  const points = Array.from({ length: count }, (_, k) => {
    if (k > 0) seconds += Math.ceil(between(30, 900));
    const level = k === 0 || k === count - 1 ? 0 : 10 * Math.round(between(10, 41));
    return [seconds, lon + k * east, lat + k * north, level] as const;
  });
  return { start: Date.UTC(2027, 1, 3, 0, Math.floor(random() * 1440)), points };
}

function plan({ start, points }: Track): string {
  const iso = `${new Date(start).toISOString().slice(0, 19)}Z`;
  const waypoints = points.map(([seconds, lon, lat, level], k) => {
    const duration = `PT${Math.floor(seconds / 3600)}H${Math.floor(seconds / 60) % 60}M${seconds % 60}S`;
    return `<Waypoint waypointId="P${k}" waypointName="N${k}" sequenceId="${k + 1}"><Coordinates latitude="${(lat * 3600).toFixed(1)}" longitude="${(lon * 3600).toFixed(1)}"/><Altitude><EstimatedAltitude><Value unit="ft/100">${level}</Value></EstimatedAltitude></Altitude><CumulatedFlightTime><EstimatedTime><Value>${duration}</Value></EstimatedTime></CumulatedFlightTime></Waypoint>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<FlightPlan xmlns="http://aeec.aviation-ia.net/633" flightPlanId="X"><M633SupplementaryHeader><Flight scheduledTimeOfDeparture="${iso}" flightOriginDate="${iso.slice(0, 10)}"><FlightIdentification><FlightIdentifier>QXA1</FlightIdentifier><FlightNumber airlineIATACode="QX" number="1"/></FlightIdentification><DepartureAirport><AirportICAOCode>LSZH</AirportICAOCode></DepartureAirport><ArrivalAirport><AirportICAOCode>EIDW</AirportICAOCode></ArrivalAirport></Flight><Aircraft aircraftRegistration="HB-QXA"><AircraftModel><AircraftICAOType>A21N</AircraftICAOType></AircraftModel></Aircraft></M633SupplementaryHeader><Waypoints>${waypoints.join('')}</Waypoints></FlightPlan>`;
}

function dayFirst(ms: number): string {
  const date = new Date(ms);
  const day = [two(date.getUTCDate()), two(date.getUTCMonth() + 1), date.getUTCFullYear()].join('-');
  return `${day} ${date.toISOString().slice(11, 19)}`;
}

/** Points out of order and with times that repeat, as the archive has them. */
function archivePoints(tracks: readonly Track[]): string {
  const lines = tracks.flatMap(({ start, points }, id) =>
    points.flatMap(([seconds, lon, lat, level], k) => {
      const row = `"${1000 + id}","${2 * k}","${dayFirst(start + 1000 * seconds)}","${level}","${lat.toFixed(6)}","${lon.toFixed(6)}"`;
      const again = row.replace(`"${2 * k}"`, `"${2 * k + 1}"`).replace(`"${level}"`, `"${level + 10}"`);
      return random() < 0.1 ? [again, row] : [row];
    }),
  );
  return `"ECTRL ID","Sequence Number","Time Over","Flight Level","Latitude","Longitude"\n${lines.join('\n')}\n`;
}

/** Clocks lose their leading zeros in some files, and dates advance with them. */
function segments(tracks: readonly Track[]): string {
  const clock = (ms: number) => String(Number(new Date(ms).toISOString().slice(11, 19).replaceAll(':', '')));
  const date = (ms: number) => new Date(ms).toISOString().slice(2, 10).replaceAll('-', '');
  return tracks
    .flatMap(({ start, points }, id) =>
      points.slice(1).map(([seconds, lon, lat, level], k) => {
        const [from, fromLon, fromLat, fromLevel] = points[k] as Track['points'][number];
        const [begin, end] = [start + 1000 * from, start + 1000 * seconds];
        const places = [fromLat, fromLon, lat, lon].map((degrees) => (60 * degrees).toFixed(6)).join(' ');
        return `P${k}_P${k + 1} EHAM LEMD A20N ${clock(begin)} ${clock(end)} ${fromLevel} ${level} 2 QXA${id} ${date(begin)} ${date(end)} ${places} ${9000 + id} ${k + 1} 12.3 0\n`;
      }),
    )
    .join('');
}

const FIELDS = 181;
/** Of the flown profile, from 0. */
const PROFILE = 113;

function profiles(tracks: readonly Track[]): string {
  const angle = (value: number, width: number, signs: string) => {
    const seconds = Math.round(Math.abs(value) * 3600);
    const degrees = String(Math.floor(seconds / 3600)).padStart(width, '0');
    return `${degrees}${two(Math.floor(seconds / 60) % 60)}${two(seconds % 60)}${signs[value < 0 ? 1 : 0]}`;
  };
  const lines = tracks.map(({ start, points }, id) => {
    const flown = points.map(([seconds, lon, lat, level], k) => {
      const time = new Date(start + 1000 * seconds).toISOString().slice(0, 19).replaceAll(/[-T:]/g, '');
      return `${time}:P${k}:DCT:${level}:${k}:V:${angle(lat, 2, 'NS')}${angle(lon, 3, 'EW')}:0:Y`;
    });
    const cells = new Array<string>(FIELDS).fill('');
    cells.splice(0, 7, 'EHAM', 'LEMD', `QXA${id}`, 'QXA', 'A20N', '', `AA${10_000_000 + id}`);
    cells[PROFILE] = flown.join(' ');
    return `${cells.join(';')}\n`;
  });
  return `20270203;ALL_FT+;GENERATED\n${lines.join('')}`;
}

/** Python with `traffic`, whose libraries are older than those of the other peers. */
function trafficPython(base: string): string {
  const environment = join(import.meta.dirname, '../../.cache/traffic');
  const own = join(environment, 'bin', 'python');
  const isReady = join(environment, 'ready');
  if (!existsSync(isReady)) {
    console.log('traffic is installed; this takes some minutes');
    execFileSync(base, ['-m', 'venv', '--clear', environment]);
    const list = join(import.meta.dirname, 'flight-files', 'traffic-requirements.txt');
    execFileSync(own, ['-m', 'pip', 'install', '--quiet', '--requirement', list], { stdio: 'inherit' });
    writeFileSync(isReady, '');
  }
  return own;
}

const SAMPLES = join(import.meta.dirname, '../../packages/flights/test/reference/flight-files');
const three = () => [track(), track(), track()];

const folder = mkdtempSync(join(tmpdir(), 'contrails files '));
try {
  const kinds = {
    ofp: Array.from({ length: FILES }, (_, k) => [`plan-${k}.xml`, plan(track())] as const),
    rnd: Array.from(
      { length: FILES },
      (_, k) => [`Flight_Points_Actual_${k}.csv`, archivePoints(three())] as const,
    ),
    so6: Array.from({ length: FILES }, (_, k) => [`${k}_m3.so6`, segments(three())] as const),
    allft: Array.from({ length: FILES }, (_, k) => [`${k}.ALL_FT+`, profiles(three())] as const),
  };
  const traffic = { python: trafficPython(python), script: 'traffic_peer.py' };
  const peerOf = {
    ofp: { python, script: 'peer.py' },
    rnd: { python, script: 'peer.py' },
    so6: traffic,
    allft: traffic,
  };
  const samples = { ofp: [], rnd: [], so6: ['so6/20270203_m3.so6'], allft: ['allft/20270203.ALL_FT+'] };
  let faults = 0;
  for (const kind of ['ofp', 'rnd', 'so6', 'allft'] as const) {
    const files = kinds[kind];
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    const names = [
      ...files.map(([name]) => join(folder, name)),
      ...samples[kind].map((name) => join(SAMPLES, name)),
    ];
    const peer = peerOf[kind];
    const script = join(import.meta.dirname, 'flight-files', peer.script);
    const output = execFileSync(peer.python, [script, kind, ...names], { maxBuffer: 2 ** 28 });
    const peers = JSON.parse(output.toString()) as readonly (readonly (PeerFlight | null)[])[];
    let count = 0;
    for (const [k, path] of names.entries()) {
      const { flights } = readFilesHere([fileAt(path)]);
      const all = await Array.fromAsync(flights);
      // Where the peer cannot read a flight there is nothing to compare.
      const ours = all.filter((_, n) => peers[k]?.length !== all.length || peers[k][n] !== null);
      const theirs = (peers[k] ?? []).filter((flight) => flight !== null);
      const wrong = differences(ours, theirs);
      count += ours.length;
      faults += wrong.length;
      for (const fault of wrong) console.error(`${path}: ${fault}`);
    }
    console.log(`${kind}: ${names.length} files, ${count} flights`);
  }
  console.log(`${faults} differences`);
  process.exitCode = faults > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}

function differences(ours: readonly FileFlight[], peers: readonly PeerFlight[]): string[] {
  if (ours.length !== peers.length) return [`${ours.length} flights instead of ${peers.length}`];
  return ours.flatMap((flight, k) => {
    const peer = peers[k] as PeerFlight;
    const columns = {
      time: [flight.timeMs, peer.time],
      longitude: [flight.longitude, peer.longitude],
      latitude: [flight.latitude, peer.latitude],
      altitude: [flight.altitudeFt, peer.altitude],
    } as const;
    const wrong = Object.entries(columns).filter(
      ([, [own, others]]) =>
        own.length !== others.length ||
        own.some(
          (value, i) => Math.abs(value - (others[i] as number)) > LIMIT * Math.max(1, Math.abs(value)),
        ),
    );
    return [
      ...wrong.map(([name]) => `${name} of flight ${flight.flight_id} differs`),
      ...(flight.aircraft_type === peer.type ? [] : [`type ${flight.aircraft_type} instead of ${peer.type}`]),
    ];
  });
}
