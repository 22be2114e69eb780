/** Cases that the short form runs in rotation, and the long form all. */

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
  t.comment(`one in ${share}: COFFER_TEST_SEED=${seed}`)
  return cases.filter((_, index) => (index + seed) % share === 0)
}
