import { UsageError } from '@contrails/runtime/errors';

/** Settings of sources of each kind besides the common ones, and which of these have no default. */
export interface SettingsByKind<K extends string, S> {
  readonly own: Readonly<Record<K, readonly (keyof S & string)[]>>;
  readonly withoutDefault: readonly (keyof S & string)[];
}

/** Throws a `UsageError` for a setting that a source of this kind lacks, or has of another kind. */
export function requireOwnSettings<K extends string, S extends object>(
  setting: S,
  kind: K,
  where: string,
  { own, withoutDefault }: SettingsByKind<K, S>,
): void {
  for (const key of new Set<keyof S & string>(Object.values<readonly (keyof S & string)[]>(own).flat())) {
    const isOwn = own[kind].includes(key);
    if (isOwn && setting[key] === undefined && withoutDefault.includes(key)) {
      throw new UsageError(`${where}.${key} is missing; a source of kind ${kind} needs it`);
    }
    if (!isOwn && setting[key] !== undefined) {
      throw new UsageError(`${where}.${key} is set, but a source of kind ${kind} has none; remove it`);
    }
  }
}
