/** Documents of JSON. */
import type { Content } from './content.ts';
import { type FileReport, FlightFileError } from './refusals.ts';
import { documentText } from './text.ts';

/** A list or object needs many times the bytes of its text. */
const MAX_VALUES = 8_000_000;

export async function readJson(content: Content, report: FileReport): Promise<unknown> {
  const text = await documentText(content, report);
  if (valueCount(text) > MAX_VALUES)
    throw new FlightFileError('too_large', `the JSON has more than ${MAX_VALUES} values; split it`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FlightFileError(
      'parse_error',
      `the text is not valid JSON: ${oneLine(error)}; the file may be cut off`,
    );
  }
}

function valueCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x2c || code === 0x5b || code === 0x7b) count++;
  }
  return count;
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').slice(0, 200);
}
