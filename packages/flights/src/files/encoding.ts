/** Which encoding bytes have. */

/** As `windows-1252` is defined for browsers: every byte is a character. */
export function decodeWindows(bytes: Uint8Array): string {
  return new TextDecoder('windows-1252').decode(bytes);
}

/** The encoding by a byte order mark, or by how `<` is written in UTF-16. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return undefined;
}

/** The first bytes of a file; a character at the end may be cut. */
export function decodeHead(bytes: Uint8Array): string {
  const utf16 = utf16Of(bytes);
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return decodeWindows(bytes);
  }
}
