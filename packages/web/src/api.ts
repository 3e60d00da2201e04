/** The state of each part the service stands on, as `GET /readyz` answers it with 200 and with 503. */
export type Checks = Readonly<Record<string, { readonly ok: boolean; readonly says?: string }>>;

/** What `GET /v0/auth/validate-key` answers for a good key. */
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

/** The key's description, or the sentence with which the service refused it. */
export async function describeKey(key: string): Promise<KeyDescription | string> {
  const answer = await fetch('v0/auth/validate-key', { headers: { 'x-api-key': key } });
  const body = (await answer.json()) as KeyDescription & { detail?: string };
  return answer.ok ? body : (body.detail ?? `the service answered ${answer.status}`);
}
