export interface LruMapOptions<V> {
  /** Most that is kept: entries, or the sum of their weights. */
  readonly capacity: number;
  /** 1 for each entry unless given. */
  readonly weigh?: (value: V) => number;
}

/** A map that forgets the entries that have not been read or set for longest. An entry that outweighs the map is not kept. */
export class LruMap<K, V> {
  /** The longest unused come first. */
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;
  readonly #weigh: (value: V) => number;
  #weight = 0;

  constructor({ capacity, weigh = () => 1 }: LruMapOptions<V>) {
    this.#capacity = capacity;
    this.#weigh = weigh;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The sum of all weights. */
  get weight(): number {
    return this.#weight;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#capacity) return;
    this.#entries.set(key, value);
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#capacity) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(value);
  }

  keys(): MapIterator<K> {
    return this.#entries.keys();
  }
}
