const TOKEN = String.raw`[ \t\r\n]*(?:([{}[\],:])|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)`;

/** Where a text stops being JSON. `JSON.parse` reports the place of some errors only. */
export function jsonErrorOffset(text: string): number {
  const token = new RegExp(TOKEN, 'y');
  const open: string[] = [];
  /** What may come next: a value, a key, what follows a key, or what follows a value. */
  let expected: 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'after' = 'value';
  for (;;) {
    const start = token.lastIndex;
    const match = token.exec(text);
    if (match === null) return skipBlanks(text, start);
    const [whole, mark] = match;
    const at = start + whole.length - whole.trimStart().length;
    const isText = whole.trimStart().startsWith('"');
    if (mark === '}' || mark === ']') {
      const isAllowed = expected === 'after' || expected === (mark === '}' ? 'key-or-end' : 'value-or-end');
      if (!isAllowed || open.pop() !== (mark === '}' ? '{' : '[')) return at;
      expected = 'after';
    } else if (mark === ',') {
      if (expected !== 'after' || open.length === 0) return at;
      expected = open.at(-1) === '{' ? 'key' : 'value';
    } else if (mark === ':') {
      if (expected !== 'colon') return at;
      expected = 'value';
    } else if (expected === 'key' || expected === 'key-or-end') {
      if (!isText) return at;
      expected = 'colon';
    } else if (expected === 'value' || expected === 'value-or-end') {
      if (mark === undefined) expected = 'after';
      else {
        open.push(mark);
        expected = mark === '{' ? 'key-or-end' : 'value-or-end';
      }
    } else return at;
  }
}

function skipBlanks(text: string, from: number): number {
  const blanks = /[ \t\r\n]*/y;
  blanks.lastIndex = from;
  return from + (blanks.exec(text)?.[0].length ?? 0);
}
