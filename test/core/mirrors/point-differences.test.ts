import t from 'tap'
import { groupDifferences } from '../../../core/mirrors/point-differences.js'
import type { BucketSummary } from '../../../core/mirrors/peer-points.js'

const summary = (count: number, [min, max, mean]: readonly number[]): BucketSummary => ({
  count,
  figures: new Map(Object.entries({ 'value.min': min!, 'value.max': max!, 'value.mean': mean! }))
})

const countDifferences = (a: BucketSummary, b: BucketSummary): number =>
  [...groupDifferences(new Map([[0, a]]), new Map([[0, b]]), 16)].length

t.test('summaries of the same points', async t => {
  // Values of an electrocardiogram: their sum is near zero, and depends on the order in which they are added.
  t.equal(countDifferences(summary(2000, [-1, 1, 3.7e-18]), summary(2000, [-1, 1, 2.5e-18])), 0)
  t.equal(countDifferences(summary(2000, [60, 99, 71.5]), summary(2000, [60, 99, 71.5 * (1 + 1e-15)])), 0)
})

t.test('summaries of other points', async t => {
  const one = summary(2000, [-1, 1, 0])
  t.equal(countDifferences(one, summary(2000, [-1, 1, 1e-9])), 1)
  t.equal(countDifferences(one, summary(2000, [-1, 1 + 1e-15, 0])), 1)
  t.equal(countDifferences(one, summary(1999, [-1, 1, 0])), 1)
  t.equal(countDifferences(summary(1, [0, 0, 0]), summary(1, [0, 0, 1e-300])), 1)
})
