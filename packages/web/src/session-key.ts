/** The API key of this tab: kept for the session, never in an address and never beyond the tab. */
const NAME = 'contrails-key';

export function readKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

export function keepKey(key: string): void {
  sessionStorage.setItem(NAME, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
}
