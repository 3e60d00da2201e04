import type { Intake } from '../intake.ts';
import type { LineSpan } from '../lines.ts';
import { Report } from '../report.ts';
import { CodeReader, detached, flagOf, numberOf, shown, timeOf, UNREADABLE, wholeMs } from '../values.ts';

/** What every reader works with: the report that it fills, and where reports go. */
export class Reading {
  readonly report = new Report();
  readonly codes = new CodeReader();
  readonly intake: Intake;

  constructor(intake: Intake) {
    this.intake = intake;
  }

  /** NaN where the value is unknown; a value that is not a number makes the record unreadable. */
  number(name: string, value: unknown): number {
    const number = numberOf(value);
    return number === UNREADABLE ? this.fault(name, value, 'a number') : number;
  }

  time(name: string, value: unknown): number {
    const time = timeOf(value);
    return time === UNREADABLE ? this.fault(name, value, 'a time') : time;
  }

  /** Of a value that is known to be milliseconds since 1970. */
  timeMs(name: string, value: number): number {
    const time = wholeMs(value);
    return time === UNREADABLE ? this.fault(name, value, 'a time') : time;
  }

  flag(name: string, value: unknown): boolean {
    const flag = flagOf(value);
    if (flag !== UNREADABLE) return flag;
    this.fault(name, value, 'true or false');
    return false;
  }

  private fault(name: string, value: unknown, what: string): number {
    this.report.problem ??= `${name} is ${shown(value)}, which is not ${what}`;
    return Number.NaN;
  }
}

/** A whole file that is one JSON document. */
export type DocumentReader = (document: Readonly<Record<string, unknown>>, reading: Reading) => void;

/** Reads lines one by one; `intake` knows where the line stands. */
export interface LineReader {
  line(line: LineSpan): void;
}

/** The line as a text that can be kept. */
export function lineText({ text, start, end }: LineSpan): string {
  return detached(text.slice(start, end));
}

/** An object of JSON, or undefined. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
