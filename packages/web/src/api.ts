/** The state of each dependency of the service, as `GET /readyz` returns it with 200 and with 503. */
export type Checks = Readonly<Record<string, { readonly ok: boolean; readonly message?: string }>>;

/** The response of `GET /v0/auth/validate-key` to a valid key. */
export interface KeyDescription {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires: string | null;
  readonly limits: { readonly requests_per_minute: number; readonly concurrent_requests: number };
}

export async function readChecks(): Promise<Checks> {
  const answer = await fetch('readyz');
  const { checks } = (await answer.json()) as { checks: Checks };
  return checks;
}

/** The description of a key, or the message with which the service rejects it. */
export async function describeKey(key: string): Promise<KeyDescription | string> {
  const answer = await fetch('v0/auth/validate-key', { headers: { 'x-api-key': key } });
  const body = (await answer.json()) as KeyDescription & { detail?: string };
  return answer.ok ? body : (body.detail ?? `the service returned status ${answer.status}`);
}
