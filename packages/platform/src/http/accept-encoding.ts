export type Encoding = 'br' | 'gzip';

/** Headers repeat: browsers and libraries each send always the same one. */
const known = new Map<string, Encoding | undefined>();
const MAX_KNOWN = 100;

/** The encoding of ours that the caller likes best; undefined is none. With equal liking, the smaller result wins. */
export function preferredEncoding(header: string | string[] | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const text = String(header);
  if (known.has(text)) return known.get(text);
  const encoding = choose(text);
  if (known.size < MAX_KNOWN) known.set(text, encoding);
  return encoding;
}

function choose(header: string): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number.isNaN(weight) ? 0 : weight);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [br, gzip] = [weightOf('br'), weightOf('gzip')];
  const best = br >= gzip ? 'br' : 'gzip';
  const bestWeight = Math.max(br, gzip);
  return bestWeight > 0 && bestWeight >= (weights.get('identity') ?? 0) ? best : undefined;
}
