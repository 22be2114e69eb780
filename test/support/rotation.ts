/** Cases and subtests that the short form runs in rotation, and the long form all. */
import type { Test } from 'tap'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** Each run starts at another case. */
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)

/** Returns one in `share` of the cases, other ones for another seed, which is printed; all of them in the long form. */
export function rotate<T>(
  t: { comment(text: string): void },
  cases: readonly T[],
  share = cases.length
): readonly T[] {
  if (isLong) return cases
  t.comment(`COFFER_TEST_SEED=${seed}: one in ${share}`)
  return cases.filter((_, index) => (index + seed) % share === 0)
}

/**
 * Returns a function that runs one in `share` of the subtests declared with it, other ones for another seed, which is printed; all of
 * them in the long form. For subtests about load, faults, rare states and hostile input, which do not depend on each other: what a feature does
 * is always tested. Shares of rotations within each other have no common factor: some cases would never run.
 */
export function inRotation(
  t: Test,
  share: number
): (name: string, run: (t: Test) => unknown) => Promise<unknown> {
  if (isLong) return async (name, run) => await t.test(name, run)
  t.comment(`COFFER_TEST_SEED=${seed}: one subtest in ${share}`)
  let declared = 0
  return async (name, run) => {
    if ((declared++ + seed) % share === 0) await t.test(name, run)
  }
}
