/** Pseudorandom numbers, the same for the same seed. */

const golden = 0x9e3779b9

/** A sequence per seed and name, so that the numbers used by one part do not affect the others. */
export class Random {
  #state: number

  constructor(seed: number, ...names: readonly (string | number)[]) {
    let hash = 0x811c9dc5
    for (const char of [seed, ...names].join('/')) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193)
    this.#state = hash
  }

  /** Returns a number from 0 up to but not including 1. */
  next(): number {
    this.#state = (this.#state + golden) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }

  /** Returns a number from `low` up to, but not including, `high`. */
  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  /** Returns an integer from `low` up to and including `high`. */
  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1))
  }

  /** Returns an approximately normally distributed number, at most 3.5 deviations from the mean. */
  normal(mean: number, deviation: number): number {
    const sum = this.next() + this.next() + this.next() + this.next()
    return mean + (sum - 2) * Math.sqrt(3) * deviation
  }

  /** Returns true with a probability from 0 to 1. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Returns one of the items. The list must not be empty. */
  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!
  }

  /** Returns random letters and digits. */
  text(length: number): string {
    return Array.from({ length }, () => Math.floor(this.next() * 36).toString(36)).join('')
  }
}

/** Rounds to a number of decimals. */
export function roundTo(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}
