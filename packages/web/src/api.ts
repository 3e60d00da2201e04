/** What `GET /readyz` answers, whether the service can serve (200) or not (503). */
export interface Readiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, { readonly status: string; readonly detail?: string }>>;
}

/** What `GET /v0/auth/validate-key` answers for a good key. */
export interface KeyDescription {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires: string | null;
  readonly rate_per_minute: number;
  readonly concurrency: number;
}

export async function readReadiness(): Promise<Readiness> {
  const answer = await fetch('readyz');
  return (await answer.json()) as Readiness;
}

/** The key's description, or the sentence with which the service refused it. */
export async function describeKey(key: string): Promise<KeyDescription | string> {
  const answer = await fetch('v0/auth/validate-key', { headers: { 'x-api-key': key } });
  const body = (await answer.json()) as KeyDescription & { detail?: string };
  return answer.ok ? body : (body.detail ?? `the service answered ${answer.status}`);
}
