/** The contract of a format of flight files. */
import type { FileHost } from './bytes.ts';
import type { Content, Head } from './content.ts';
import { type DraftSettings, FlightDraft } from './draft.ts';
import type { FileFlight, FlightIdentity } from './flight.ts';
import type { FileReport } from './refusals.ts';

export interface FlightFormat {
  readonly name: string;
  /** For requests over HTTP. */
  readonly contentTypes: readonly string[];
  /** Whether the first bytes of an unpacked file are of this format. */
  recognise(head: Head, options: FormatOptions): boolean;
  /** Flights of a file, or of all files of the format where they belong together. */
  read(files: readonly Content[], context: FormatContext): AsyncIterable<FileFlight>;
  /** All files of the format are read together. */
  readonly isPaired?: boolean;
}

export const PROFILES = ['ctfm', 'rtfm', 'ftfm'] as const;
export type Profile = (typeof PROFILES)[number];

export interface FormatOptions {
  /** Of ALL_FT+: flown, regulated or filed. */
  readonly profile?: Profile | undefined;
  /** Of tables of traffic: metres and m/s, or feet and knots. */
  readonly units?: 'metric' | 'aviation' | undefined;
  /** Of recorder tables: column of the file → `field [unit]`. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  /** Named points of flight plans; those that are in the list twice are not known. */
  readonly navdata?: ReadonlyMap<string, Position> | undefined;
}

export interface Position {
  readonly longitude: number;
  readonly latitude: number;
}

export interface FormatContext {
  readonly report: FileReport;
  readonly options: FormatOptions;
  readonly host: FileHost;
  findAirport(icao: string): (Position & { readonly elevationFt: number }) | undefined;
}

/** Flights that are gathered by a key, in the order of their first points. */
export class Gathered<Key> {
  private readonly drafts = new Map<Key, FlightDraft>();
  private readonly report: FileReport;
  private readonly settings: DraftSettings;

  constructor(settings: DraftSettings, report: FileReport) {
    this.settings = settings;
    this.report = report;
  }

  of(key: Key, know?: () => Partial<FlightIdentity>): FlightDraft {
    let draft = this.drafts.get(key);
    if (draft === undefined) {
      this.report.limitFlights(this.drafts.size + 1);
      draft = new FlightDraft(this.settings, this.report);
      if (know !== undefined) draft.know(know());
      this.drafts.set(key, draft);
    }
    return draft;
  }

  get size(): number {
    return this.drafts.size;
  }

  *finish(): Generator<FileFlight> {
    for (const draft of this.drafts.values()) {
      const flight = draft.finish();
      if (flight !== undefined) yield flight;
    }
  }
}
