/** Compares large values that are nearly always equal. */
import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'

/** Like `t.same`, which formats both values even if they are equal: that takes longer than most calls. */
export function assertSame(
  t: Pick<Test, 'pass' | 'same'>,
  found: unknown,
  wanted: unknown,
  name: string
): void {
  if (isDeepStrictEqual(found, wanted)) t.pass(name)
  else t.same(found, wanted, name)
}
