/** Hashes of the tables that ship with the program and decide numbers of a report. */
import { createHash } from 'node:crypto';
import { worldAirports } from '@contrails/flights';
import { findAircraftType, knownAircraftTypes, seatsOfType } from '@contrails/physics/aircraft';
import { defaultEngine, gaseousEngine, knownEngineUids, nvpmEngine } from '@contrails/physics/emissions';

let known: Readonly<Record<string, string>> | undefined;

/** SHA-256 by name; computed once. */
export function tableHashes(): Readonly<Record<string, string>> {
  known ??= {
    airports: hashOf(worldAirports().all),
    aircraft: hashOf(
      knownAircraftTypes().map((type) => [
        type,
        findAircraftType(type),
        defaultEngine(type),
        seatsOfType(type),
      ]),
    ),
    engines: hashOf(knownEngineUids().map((uid) => [uid, gaseousEngine(uid), nvpmEngine(uid)])),
  };
  return known;
}

function hashOf(table: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const row of table) hash.update(`${JSON.stringify(row)}\n`);
  return hash.digest('hex');
}
