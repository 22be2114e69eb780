/** Compares large values, which are nearly always the same. */
import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'

/** As `t.same`, which writes both values out even if nothing differs: that takes longer than most calls. */
export function assertSame(
  t: Pick<Test, 'pass' | 'same'>,
  found: unknown,
  wanted: unknown,
  name: string
): void {
  if (isDeepStrictEqual(found, wanted)) t.pass(name)
  else t.same(found, wanted, name)
}
