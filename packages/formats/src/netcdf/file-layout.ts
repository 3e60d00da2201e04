/** Reserves and fills ranges of bytes of the file; addresses are multiples of 8. */
export class FileLayout {
  private readonly filled: { readonly address: number; readonly bytes: Uint8Array }[] = [];
  private next: number;

  constructor(first: number) {
    this.next = first;
  }

  get end(): number {
    return this.next;
  }

  reserve(size: number): number {
    const address = Math.ceil(this.next / 8) * 8;
    this.next = address + size;
    return address;
  }

  fill(address: number, bytes: Uint8Array): void {
    this.filled.push({ address, bytes });
  }

  /** All bytes in order, gaps as zeros. */
  chunks(): Uint8Array[] {
    const chunks: Uint8Array[] = [];
    let position = 0;
    for (const { address, bytes } of [...this.filled].sort((a, b) => a.address - b.address)) {
      if (address > position) chunks.push(new Uint8Array(address - position));
      chunks.push(bytes);
      position = address + bytes.length;
    }
    return chunks;
  }
}
