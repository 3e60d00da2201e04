/** Keeps what was loaded last within a number of bytes; what is being loaded is loaded once. */
export class ByteCache<Value> {
  private readonly held = new Map<string, { readonly value: Value; readonly bytes: number }>();
  private readonly loading = new Map<string, Promise<Value>>();
  private readonly maxBytes: number;
  private readonly sizeOf: (value: Value) => number;
  private total = 0;

  constructor(maxBytes: number, sizeOf: (value: Value) => number) {
    this.maxBytes = maxBytes;
    this.sizeOf = sizeOf;
  }

  get bytes(): number {
    return this.total;
  }

  /** The value if it is here, which then counts as used last. */
  peek(key: string): Value | undefined {
    const entry = this.held.get(key);
    if (entry === undefined) return undefined;
    this.held.delete(key);
    this.held.set(key, entry);
    return entry.value;
  }

  /** A failed load is not kept. */
  async obtain(key: string, load: () => Promise<Value>): Promise<Value> {
    const here = this.peek(key);
    if (here !== undefined) return here;
    const underWay = this.loading.get(key);
    if (underWay !== undefined) return underWay;
    const promise = load()
      .then((value) => {
        this.keep(key, value);
        return value;
      })
      .finally(() => this.loading.delete(key));
    this.loading.set(key, promise);
    return promise;
  }

  forget(): void {
    this.held.clear();
    this.total = 0;
  }

  private keep(key: string, value: Value): void {
    const bytes = this.sizeOf(value);
    this.held.set(key, { value, bytes });
    this.total += bytes;
    for (const [oldest, entry] of this.held) {
      if (this.total <= this.maxBytes || oldest === key) break;
      this.held.delete(oldest);
      this.total -= entry.bytes;
    }
  }
}
