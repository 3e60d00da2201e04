/**
 * Texts that other programs call JSON: Python writes NaN, Infinity and -Infinity. Each becomes null; texts in quotes stay as
 * they are.
 */
export function withNullForNaN(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    if (match[0] === '"') {
      TOKEN.lastIndex = endOfString(text, match.index + 1);
      continue;
    }
    parts.push(text.slice(kept, match.index), 'null');
    kept = match.index + match[0].length;
  }
  return kept === 0 ? text : `${parts.join('')}${text.slice(kept)}`;
}

const TOKEN = /"|NaN|-?Infinity/g;
const QUOTE = /["\\]/g;

/** Behind the closing quote; the end of the text where there is none. */
function endOfString(text: string, from: number): number {
  QUOTE.lastIndex = from;
  for (let match = QUOTE.exec(text); match !== null; match = QUOTE.exec(text)) {
    if (match[0] === '"') return match.index + 1;
    QUOTE.lastIndex = match.index + 2;
  }
  return text.length;
}
