/** A fleet as bytes, for jobs that another process may run. */
import { deserialize, serialize } from 'node:v8';
import { type Fleet, type SharedColumn, sharedColumn, sharedIndex } from './fleet.ts';

/** Shared memory cannot be written as it is: its values are. */
export function fleetToBytes(fleet: Fleet): Buffer {
  const plain = (column: Float64Array) => Float64Array.from(column);
  return serialize({
    ...fleet,
    timeMs: plain(fleet.timeMs),
    longitude: plain(fleet.longitude),
    latitude: plain(fleet.latitude),
    altitudeFt: plain(fleet.altitudeFt),
    given: mapColumns(fleet.given, plain),
    starts: Uint32Array.from(fleet.starts),
    requestIndex: fleet.requestIndex && Uint32Array.from(fleet.requestIndex),
  });
}

/** Only for bytes that this service wrote. */
export function fleetFromBytes(bytes: Buffer): Fleet {
  const plain = deserialize(bytes) as Fleet;
  return {
    ...plain,
    timeMs: shared(plain.timeMs),
    longitude: shared(plain.longitude),
    latitude: shared(plain.latitude),
    altitudeFt: shared(plain.altitudeFt),
    given: mapColumns(plain.given, shared),
    starts: sharedIndexOf(plain.starts),
    requestIndex: plain.requestIndex && sharedIndexOf(plain.requestIndex),
  };
}

function mapColumns<Column>(
  given: Fleet['given'],
  map: (column: Float64Array) => Column,
): Record<string, Column | number> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'number' ? value : map(value)]),
  );
}

function shared(column: Float64Array): SharedColumn {
  const copy = sharedColumn(column.length);
  copy.set(column);
  return copy;
}

function sharedIndexOf(index: Uint32Array): Uint32Array<SharedArrayBuffer> {
  const copy = sharedIndex(index.length);
  copy.set(index);
  return copy;
}
