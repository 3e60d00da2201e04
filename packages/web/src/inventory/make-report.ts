/** Has the service compute the report of an operator, as a job. */
import { service } from '../service.ts';

export const SCOPES = ['reduced', 'full', 'all'] as const;

interface ReportRequest {
  readonly operator: string;
  readonly from: string;
  readonly to: string;
  /** Instead of the rule of the day. */
  readonly scope?: (typeof SCOPES)[number] | undefined;
  readonly efficacy: boolean;
}

/** Tables of the operator; without them its flights are those of the inventory. */
export interface ReportTables {
  readonly flights?: File | undefined;
  readonly trajectories?: File | undefined;
}

interface ReportSummary {
  readonly operator: string;
  readonly flights: {
    readonly supplied: number;
    readonly telemetry: number;
    readonly reported: number;
    readonly out_of_scope: Readonly<Record<string, number>>;
    readonly not_computed: Readonly<Record<string, number>>;
  };
  readonly totals: Readonly<Record<string, number>>;
}

export interface MadeReport {
  readonly id: string;
  readonly summary: ReportSummary;
}

/** Aborting cancels the job. */
export async function makeReport(
  request: ReportRequest,
  { flights, trajectories }: ReportTables,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (fraction: number) => void },
): Promise<MadeReport> {
  const form = new FormData();
  form.set('request', JSON.stringify(request));
  if (flights !== undefined) form.set('flights', flights);
  if (trajectories !== undefined) form.set('trajectories', trajectories);
  // Not as a blob, whose type has the boundary in small letters.
  const encoded = new Response(form);
  const sent = await service.request('/v1/inventory/reports', {
    method: 'POST',
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    body: await encoded.arrayBuffer(),
    signal,
  });
  const { id } = (await sent.json()) as { id: string };
  await service.jobs.wait(id, { signal, onProgress: ({ fraction }) => onProgress(fraction) });
  const summary = await reportFile(id, 'summary.json', signal);
  return { id, summary: JSON.parse(await summary.text()) as ReportSummary };
}

/** One file of a report, or `pack.zip`. */
export async function reportFile(id: string, name: string, signal?: AbortSignal): Promise<Blob> {
  const response = await service.request(`/v1/inventory/reports/${id}/${name}`, { signal });
  return response.blob();
}
