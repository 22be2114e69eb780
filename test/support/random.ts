/** Reproducible random choices: the same for the same seed. */
export class Random {
  constructor(private state: number) {}

  /** Returns a number from 0 to 1, without 1. */
  next(): number {
    // mulberry32
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer from 0 to `limit`, without `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  /** Returns one or more items, up to `most`, possibly with duplicates. */
  some<T>(items: readonly T[], most: number): T[] {
    return Array.from({ length: 1 + this.below(most) }, () => this.pick(items))
  }
}

/** Returns random choices with the seed in COFFER_TEST_SEED, or with a new one each time. The seed is printed. */
export function seeded(t: { comment(text: string): void }): Random {
  const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
  t.comment(`COFFER_TEST_SEED=${seed}`)
  return new Random(seed)
}
