import { UsageError } from '@contrails/runtime/errors';

interface ScopeEntry {
  readonly name: string;
  readonly description: string;
  /** Only keys that were given the scope by name have it. */
  readonly restricted: boolean;
}

/** Everything a key can be allowed. */
const SCOPES = [
  { name: 'research', description: 'trajectories and grids under /v0', restricted: false },
  { name: 'forecast', description: 'forecast grids and regions under /v1', restricted: false },
  { name: 'planning', description: 'levels and profiles of flights under /v1', restricted: false },
  { name: 'observations', description: 'detections, segments and attributions', restricted: false },
  { name: 'inventory', description: 'the summary of the contrail inventory', restricted: false },
  { name: 'adsb', description: 'ADS-B telemetry', restricted: true },
  { name: 'adsb:write', description: 'posting ADS-B reports', restricted: true },
  { name: 'inventory:segments', description: 'single flight segments of the inventory', restricted: true },
] as const satisfies readonly ScopeEntry[];

export type Scope = (typeof SCOPES)[number]['name'];

/** What an ordinary key may do. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !scope.restricted).map(
  (scope) => scope.name,
);

export const RESTRICTED_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope.restricted).map(
  (scope) => scope.name,
);

export const ALL_SCOPES: readonly Scope[] = SCOPES.map((scope) => scope.name);

export function isScope(name: string): name is Scope {
  return ALL_SCOPES.some((scope) => scope === name);
}

/** Reads names separated by commas or blanks; each comes out once, in the order of `SCOPES`. */
export function parseScopes(text: string): Scope[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  const unknown = names.filter((name) => !isScope(name));
  if (names.length === 0 || unknown.length > 0) {
    const what = names.length === 0 ? 'no scope was given' : `scope ${unknown.join(', ')} does not exist`;
    throw new UsageError(`${what}; choose from ${ALL_SCOPES.join(', ')}`, {
      facts: { unknown, allowed: ALL_SCOPES },
    });
  }
  return ALL_SCOPES.filter((scope) => names.includes(scope));
}
