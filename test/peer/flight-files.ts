/**
 * Flight files through our readers and through public ones: operational flight plans beside `parse_ofp_xml` of pycontrails, the
 * EUROCONTROL R&D archive beside pandas. A hundred files of each are generated. Fails when a time, a position, an altitude or a
 * type differs.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

const folder = mkdtempSync(join(tmpdir(), 'contrails files '));
try {
  const kinds = {
    ofp: Array.from({ length: FILES }, (_, k) => [`plan-${k}.xml`, plan(track())] as const),
    rnd: Array.from(
      { length: FILES },
      (_, k) => [`Flight_Points_Actual_${k}.csv`, archivePoints([track(), track(), track()])] as const,
    ),
  };
  let faults = 0;
  for (const [kind, files] of Object.entries(kinds)) {
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    const names = files.map(([name]) => join(folder, name));
    const script = join(import.meta.dirname, 'flight-files', 'peer.py');
    const output = execFileSync(python, [script, kind, ...names], { maxBuffer: 2 ** 28 });
    const peers = JSON.parse(output.toString()) as readonly (readonly PeerFlight[])[];
    let count = 0;
    for (const [k, path] of names.entries()) {
      const { flights } = readFilesHere([fileAt(path)]);
      const ours = await Array.fromAsync(flights);
      const wrong = differences(ours, peers[k] ?? []);
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
