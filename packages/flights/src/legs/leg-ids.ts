import { createHash } from 'node:crypto';
import { type AirframeReports, nameRow, namesAmong } from '../telemetry/airframe-reports.ts';
import type { Leg } from './cut.ts';

/** Namespace of the ids of legs (RFC 9562, version 5). It never changes: the same leg has the same id everywhere. */
export const LEG_NAMESPACE = '33f1855d-270f-4f89-aa12-6ce1d79dc1f5';

export interface LegIdSettings {
  /** Provider's ids that more than one airframe reports; they identify nothing. */
  readonly ambiguousIds?: ReadonlySet<string> | undefined;
  /** The id under which a leg was published before; it stays with the leg when earlier reports arrive. */
  readonly publishedId?: ((leg: LegSpan) => string | undefined) | undefined;
}

export interface LegSpan {
  readonly icaoAddress: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface LegId {
  readonly flightId: string;
  /** The provider gave the reports of this leg more than one id. */
  readonly isJoined: boolean;
}

/**
 * The id of every leg: the one it was published under, else the provider's where all reports that have one agree and no
 * other leg has it, else a UUID of the airframe and the first report. A fragment leaves an id that it shares to the leg.
 */
export function legIds(
  reports: Pick<AirframeReports, 'timestamp' | 'icao_address' | 'flight_id' | 'names' | 'nameIndex'>,
  legs: readonly Leg[],
  { ambiguousIds, publishedId }: LegIdSettings = {},
): LegId[] {
  const { icao_address, flight_id } = reports.names ?? reports;
  const provided = legs.map(({ rows }) => idsOf(flight_id, namesAmong(reports, rows)));
  const usesOf = (isCounted: (leg: Leg) => boolean) => {
    const uses = new Map<string, number>();
    legs.forEach((leg, l) => {
      if (!isCounted(leg)) return;
      for (const id of provided[l] as Set<string>) uses.set(id, (uses.get(id) ?? 0) + 1);
    });
    return uses;
  };
  const [usesOfLegs, usesOfAll] = [usesOf(({ isFragment }) => !isFragment), usesOf(() => true)];
  return legs.map(({ rows, isFragment }, leg) => {
    const ids = provided[leg] as Set<string>;
    const [only] = ids;
    const [first, last] = [rows[0] as number, rows[rows.length - 1] as number];
    const span = {
      icaoAddress: icao_address[nameRow(reports, first)] as string,
      firstMs: reports.timestamp[first] as number,
      lastMs: reports.timestamp[last] as number,
    };
    const isOurs =
      ids.size === 1 &&
      only !== undefined &&
      (isFragment ? usesOfAll : usesOfLegs).get(only) === 1 &&
      ambiguousIds?.has(only) !== true;
    return {
      flightId: publishedId?.(span) ?? (isOurs ? only : legUuid(span.icaoAddress, span.firstMs)),
      isJoined: ids.size > 1,
    };
  });
}

function idsOf(flightId: readonly (string | null)[], rows: Uint32Array): Set<string> {
  const ids = new Set<string>();
  let last: string | null = null;
  for (const row of rows) {
    const id = flightId[row] ?? null;
    if (id === null || id === last) continue;
    ids.add(id);
    last = id;
  }
  return ids;
}

const NAMESPACE_BYTES = Buffer.from(LEG_NAMESPACE.replaceAll('-', ''), 'hex');

/** The id of a leg by its airframe and first report [ms since 1970]: a UUID of version 5, SHA-1 over namespace and name. */
export function legUuid(icaoAddress: string, firstMs: number): string {
  return uuidOf(`${icaoAddress}|${Math.floor(firstMs / 1000)}`);
}

/** The id of what has this name. */
export function uuidOf(name: string): string {
  const hash = createHash('sha1').update(NAMESPACE_BYTES).update(name).digest().subarray(0, 16);
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50;
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
