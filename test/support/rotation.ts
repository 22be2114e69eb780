/** Which cases a test takes in the short form: other ones each time. */

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)

/** Returns one in `share` of the cases, by default a single one, by the seed, which is printed; in the long form all. */
export function takeTurns<T>(
  t: { comment(text: string): void },
  cases: readonly T[],
  share: number = cases.length
): readonly T[] {
  if (process.env['COFFER_TEST_LONG'] === '1') return cases
  t.comment(`COFFER_TEST_SEED=${seed}`)
  return cases.filter((_each, at) => (at + seed) % share === 0)
}
