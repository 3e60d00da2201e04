/** Things that belong together, directly or through others. */
export class DisjointSets {
  private readonly parents: number[];

  constructor(count: number) {
    this.parents = Array.from({ length: count }, (_, thing) => thing);
  }

  /** A new element on its own. */
  add(): number {
    return this.parents.push(this.parents.length) - 1;
  }

  /** Puts two things together; false when they were already. */
  join(a: number, b: number): boolean {
    const [first, second] = [this.setOf(a), this.setOf(b)];
    this.parents[first] = second;
    return first !== second;
  }

  /** One of the things of a set, the same for all of them. */
  setOf(thing: number): number {
    let at = thing;
    for (;;) {
      const parent = this.parents[at] as number;
      if (parent === at) return at;
      const above = this.parents[parent] as number;
      this.parents[at] = above;
      at = above;
    }
  }
}
