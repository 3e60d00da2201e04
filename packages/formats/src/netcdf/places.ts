/** Where things stand in the file; addresses are multiples of 8. */
export class Places {
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
  parts(): Uint8Array[] {
    const parts: Uint8Array[] = [];
    let position = 0;
    for (const { address, bytes } of [...this.filled].sort((a, b) => a.address - b.address)) {
      if (address > position) parts.push(new Uint8Array(address - position));
      parts.push(bytes);
      position = address + bytes.length;
    }
    return parts;
  }
}
