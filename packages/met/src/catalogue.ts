/** Which of the configured sources answers a request. */
import { shortcomingOf, typeOfRun } from './coverage.ts';
import { MetError } from './errors.ts';
import { usefulTime, type WeatherRequest } from './request.ts';
import type { MetRun, MetSource, SourceDescription } from './source.ts';
import { uncovered } from './uncovered.ts';

/** What a source says of itself, or why it cannot. */
export type CatalogueEntry =
  | { readonly source: MetSource; readonly description: SourceDescription }
  | { readonly source: MetSource; readonly error: unknown };

export interface Choice {
  readonly source: MetSource;
  readonly description: SourceDescription;
  readonly run: MetRun;
}

export interface Catalogue {
  /** All sources in the order of the configuration. */
  list(): Promise<readonly CatalogueEntry[]>;
  /**
   * The source and run for a request. Re-analysis comes before forecasts, the order of the configuration decides among
   * sources, and the newest run among forecasts; but a run that also has the useful time beyond what has to be covered
   * goes before one that has not.
   */
  choose(request: WeatherRequest): Promise<Choice>;
}

/** How long a description counts as fresh [ms]: new files are seen after this, and requests seldom wait for a look. */
const FRESH_MS = 5_000;

export function createCatalogue(
  sources: readonly MetSource[],
  freshMs = FRESH_MS,
  now: () => number = () => performance.now(),
): Catalogue {
  const looks = new Map<MetSource, { readonly atMs: number; readonly entry: Promise<CatalogueEntry> }>();

  const look = (source: MetSource): Promise<CatalogueEntry> => {
    const known = looks.get(source);
    if (known !== undefined && now() - known.atMs < freshMs) return known.entry;
    const entry = source.describe().then(
      (description): CatalogueEntry => ({ source, description }),
      (error: unknown): CatalogueEntry => ({ source, error }),
    );
    looks.set(source, { atMs: now(), entry });
    return entry;
  };
  const list = () => Promise.all(sources.map(look));

  return {
    list,
    async choose(request) {
      const entries = await (request.source === undefined
        ? list()
        : Promise.all([look(named(sources, request.source))]));
      const choices = entries.flatMap((entry) => ('error' in entry ? [] : choicesOf(entry, request)));
      const inOrder = [
        ...choices.filter(({ description, run }) => typeOfRun(description, run) === 'reanalysis'),
        ...choices.filter(({ description, run }) => typeOfRun(description, run) === 'forecast'),
      ];
      const chosen =
        inOrder.find(
          ({ description, run }) => !shortcomingOf(description, run, request, usefulTime(request)),
        ) ?? inOrder.find(({ description, run }) => !shortcomingOf(description, run, request));
      if (chosen === undefined) throw uncovered(entries, request);
      return chosen;
    },
  };
}

function named(sources: readonly MetSource[], name: string): MetSource {
  const source = sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  const names = sources.map((one) => one.name);
  throw new MetError(
    'unknown-source',
    `there is no weather source ${name}; ${names.length === 0 ? 'none is configured' : `choose from ${names.join(', ')}`}`,
    { source: name, sources: names },
  );
}

/** The runs of a source, newest first. */
function choicesOf(
  { source, description }: Extract<CatalogueEntry, { description: SourceDescription }>,
  { referenceTime }: WeatherRequest,
): Choice[] {
  return description.runs
    .filter((run) => referenceTime === undefined || run.referenceTime === referenceTime)
    .map((run) => ({ source, description, run }))
    .reverse();
}
