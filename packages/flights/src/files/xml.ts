/** XML without a document type: elements, attributes and text, in one pass over a document in memory. */
import { FlightFileError } from './refusals.ts';

/** Names are local: without their prefix. */
export interface XmlHandler {
  open(name: string, attributes: ReadonlyMap<string, string>, path: readonly string[]): void;
  /** Called with all text directly within the element. */
  close(name: string, text: string, path: readonly string[]): void;
}

const MAX_DEPTH = 100;
const MAX_ATTRIBUTES = 256;
const MAX_TEXT = 2 ** 20;

const NAME = /[A-Za-z_:\u0080-\uFFFF][\w.:\-\u0080-\uFFFF]*/y;
const ATTRIBUTE = /\s+([A-Za-z_:\u0080-\uFFFF][\w.:\-\u0080-\uFFFF]*)\s*=\s*(?:"([^<"]*)"|'([^<']*)')/y;
const BLANKS = /\s*/y;

/** Throws a `FlightFileError` where the document is not well-formed, has a document type, or is beyond the limits. */
export function parseXml(text: string, handler: XmlHandler): void {
  const path: string[] = [];
  const tags: string[] = [];
  const texts: string[] = [];
  let hasRoot = false;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  const fail = (what: string, where = at): FlightFileError => {
    const before = text.slice(0, where);
    const line = before.split('\n').length;
    const column = where - before.lastIndexOf('\n');
    return new FlightFileError(
      'parse_error',
      `the XML is not well-formed: ${what}: line ${line}, column ${column}`,
    );
  };
  const skipTo = (end: string, from: number, what: string): number => {
    const found = text.indexOf(end, from);
    if (found === -1) throw fail(`${what} is not closed`);
    return found + end.length;
  };
  const addText = (raw: string, isLiteral: boolean): void => {
    if (tags.length === 0) {
      if (raw.trim() !== '') throw fail('text outside of the document element');
      return;
    }
    const value = isLiteral ? raw : withoutEntities(raw, fail);
    const all = `${texts.at(-1)}${value}`;
    if (all.length > MAX_TEXT) throw tooLarge('a text of more than 1 MiB');
    texts[texts.length - 1] = all;
  };
  while (at < text.length) {
    const next = text.indexOf('<', at);
    addText(text.slice(at, next === -1 ? undefined : next), false);
    if (next === -1) {
      at = text.length;
      break;
    }
    at = next;
    if (text.startsWith('<!--', at)) at = skipTo('-->', at + 4, 'a comment');
    else if (text.startsWith('<![CDATA[', at)) {
      const end = skipTo(']]>', at + 9, 'a CDATA section');
      addText(text.slice(at + 9, end - 3), true);
      at = end;
    } else if (text.startsWith('<?', at)) at = skipTo('?>', at + 2, 'a processing instruction');
    else if (text.startsWith('<!', at)) throw documentType(text, at, fail);
    else if (text.startsWith('</', at)) {
      NAME.lastIndex = at + 2;
      const name = NAME.exec(text)?.[0];
      if (name === undefined || name !== tags.at(-1)) {
        throw fail(
          name === undefined ? 'unclosed token' : `</${name}> does not close <${tags.at(-1) ?? ''}>`,
        );
      }
      at = blanksAfter(text, at + 2 + name.length);
      if (text[at] !== '>') throw fail('unclosed token');
      at++;
      handler.close(path.at(-1) as string, texts.pop() as string, path);
      tags.pop();
      path.pop();
    } else {
      NAME.lastIndex = at + 1;
      const tag = NAME.exec(text)?.[0];
      if (tag === undefined) throw fail('unclosed token');
      if (tags.length === 0 && hasRoot) throw fail('a second document element');
      hasRoot = true;
      let end = at + 1 + tag.length;
      const attributes = new Map<string, string>();
      for (;;) {
        ATTRIBUTE.lastIndex = end;
        const match = ATTRIBUTE.exec(text);
        if (match === null) break;
        const [all, key = '', double, single] = match;
        if (attributes.has(key)) throw fail(`the attribute ${key} is given twice`);
        if (attributes.size >= MAX_ATTRIBUTES) throw tooLarge('more than 256 attributes');
        const value = double ?? single ?? '';
        if (value.length > MAX_TEXT) throw tooLarge('a text of more than 1 MiB');
        attributes.set(key, withoutEntities(value, fail));
        end += all.length;
      }
      end = blanksAfter(text, end);
      const isEmpty = text.startsWith('/>', end);
      if (!isEmpty && text[end] !== '>') throw fail('unclosed token');
      at = end + (isEmpty ? 2 : 1);
      if (path.length >= MAX_DEPTH) throw tooLarge(`elements more than ${MAX_DEPTH} deep`);
      const name = localName(tag);
      path.push(name);
      handler.open(name, localNames(attributes), path);
      if (isEmpty) {
        handler.close(name, '', path);
        path.pop();
      } else {
        tags.push(tag);
        texts.push('');
      }
    }
  }
  if (tags.length > 0) throw fail(`<${tags.at(-1)}> is not closed; the file may be cut off`);
  if (!hasRoot) throw fail('there is no element');
}

/** The local name of the document element, or undefined where the text is not XML. Throws where it has a document type. */
export function rootOf(head: string): string | undefined {
  let at = 0;
  while (head[at] === '<') {
    if (head.startsWith('<!--', at)) at = head.indexOf('-->', at) + 3;
    else if (head.startsWith('<?', at)) at = head.indexOf('?>', at) + 2;
    else if (head.startsWith('<!', at)) {
      throw documentType(head, at, () => new FlightFileError('parse_error', 'the XML is not well-formed'));
    } else {
      NAME.lastIndex = at + 1;
      const tag = NAME.exec(head)?.[0];
      return tag === undefined ? undefined : localName(tag);
    }
    if (at < 3) return undefined;
    at = blanksAfter(head, at);
  }
  return undefined;
}

function documentType(text: string, at: number, fail: (what: string) => FlightFileError): FlightFileError {
  if (!/^<!(DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)/i.test(text.slice(at, at + 12))) {
    return fail('unclosed token');
  }
  return new FlightFileError(
    'xml_dtd',
    'the XML has a document type declaration, which is not read; remove <!DOCTYPE …>',
  );
}

function tooLarge(what: string): FlightFileError {
  return new FlightFileError('too_large', `the XML has ${what}, which no flight file needs`);
}

function blanksAfter(text: string, at: number): number {
  BLANKS.lastIndex = at;
  BLANKS.exec(text);
  return BLANKS.lastIndex;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function localNames(attributes: Map<string, string>): ReadonlyMap<string, string> {
  if (![...attributes.keys()].some((name) => name.includes(':'))) return attributes;
  return new Map([...attributes].map(([name, value]) => [localName(name), value]));
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function withoutEntities(text: string, fail: (what: string) => FlightFileError): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,8}));|&/g, (_, decimal, hex, name) => {
    if (name !== undefined && Object.hasOwn(PREDEFINED, name)) return PREDEFINED[name] as string;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
    if (name !== undefined || !isCharacter) throw fail('an entity that is not predefined');
    return String.fromCodePoint(code);
  });
}
