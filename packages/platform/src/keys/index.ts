export { formatKey, generateKey, type ParsedKey, parseKey, parseKeyId } from './format.ts';
export type { Decision, RateLimitHeaders } from './key-limiter.ts';
export { type Authentication, createKeyring, type Keyring, withOwnKeys } from './keyring.ts';
export { createKeys, type IssuedKey, issueKey, type Key, type Keys, type ListedKey } from './keys.ts';
export { createLimits, type Limits } from './limits.ts';
export type { KeyChange, NewKey } from './new-key.ts';
export type { ScopeEntry, Scopes } from './scopes.ts';
export {
  type Cost,
  createUsageRecorder,
  readUsage,
  type StoredUsage,
  type UsageQuery,
  type UsageRecorder,
  type UsageRow,
} from './usage.ts';
