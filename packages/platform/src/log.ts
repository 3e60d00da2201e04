import { ContrailsError } from '@contrails/runtime/errors';
import { type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { gatheredLines } from './log-lines.ts';

export type Log = Logger;

export interface LogSettings {
  readonly level: 'error' | 'warn' | 'info' | 'debug' | 'trace';
  /** `auto` is `text` on a terminal. */
  readonly format: 'auto' | 'json' | 'text';
}

/** The one logger: JSON lines on standard error, or readable lines where a person watches. */
export function createLog({ level, format }: LogSettings): Log {
  const text = format === 'text' || (format === 'auto' && process.stderr.isTTY === true);
  const withStacks = level === 'debug' || level === 'trace';
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => serializeError(error, withStacks) },
  };
  return text
    ? pino(options, { write: (line: string) => process.stderr.write(readableLine(line, useColour())) })
    : pino(options, gatheredLines(2));
}

/** One JSON line of the log as `2026-01-31T12:34:56Z INFO  message key=value`. */
export function readableLine(line: string, colour: boolean): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const severity = SEVERITIES[Number(level)] ?? { name: 'LOG', colour: 0 };
  const clock = `${String(time).slice(0, 19)}Z`;
  const name = severity.name.padEnd(5);
  const facts = Object.entries(rest).map(([key, value]) => `${key}=${plain(value)}`);
  const head = colour
    ? `\u001b[2m${clock}\u001b[0m \u001b[${severity.colour}m${name}\u001b[0m`
    : `${clock} ${name}`;
  return `${[head, msg, ...facts, ...errorLines(err)].filter((part) => part !== undefined).join(' ')}\n`;
}

const SEVERITIES: Record<number, { name: string; colour: number }> = {
  10: { name: 'TRACE', colour: 2 },
  20: { name: 'DEBUG', colour: 36 },
  30: { name: 'INFO', colour: 32 },
  40: { name: 'WARN', colour: 33 },
  50: { name: 'ERROR', colour: 31 },
  60: { name: 'FATAL', colour: 35 },
};

/** Node's own rule, which honours NO_COLOR and dumb terminals. */
function useColour(): boolean {
  return process.stderr.isTTY === true && process.stderr.hasColors();
}

function plain(value: unknown): string {
  return typeof value === 'string' && !/[\s"]/.test(value) ? value : JSON.stringify(value);
}

function errorLines(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return [];
  const { stack, message } = err as { stack?: string; message?: string };
  return [stack === undefined ? `(${message ?? 'no message'})` : `\n${stack}`];
}

/**
 * Type, message, stack and our own facts only: the errors of libraries carry connection strings, requests and
 * credentials as properties. An error of our own tree is expected, such as a database that is away: where it was
 * thrown matters only for debugging.
 */
function serializeError(error: unknown, withStacks: boolean): unknown {
  if (!(error instanceof Error)) return error;
  const { type, stack } = stdSerializers.err(error);
  const isExpected = error instanceof ContrailsError || error.name === 'MetError';
  const facts = error instanceof ContrailsError ? error.facts : undefined;
  return {
    type,
    message: messageWithCauses(error),
    ...(isExpected && !withStacks ? {} : { stack }),
    ...('code' in error ? { code: error.code } : {}),
    ...(facts ? { facts } : {}),
  };
}

/** Omits causes that the error's message already contains. */
function messageWithCauses(error: Error): string {
  let message = error.message;
  const seen = new Set<unknown>([error]);
  for (let { cause } = error; cause instanceof Error && !seen.has(cause); { cause } = cause) {
    seen.add(cause);
    if (!message.includes(cause.message)) message += `: ${cause.message}`;
  }
  return message;
}
