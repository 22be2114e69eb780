/** Merges overlapping marks. */
import type { Mark } from './lane-data.js'
import { toX, type View } from './view.js'

interface Cluster {
  readonly x: number
  /** The merged marks. */
  readonly marks: readonly Mark[]
}

/**
 * Merges marks whose centres are less than `gap` pixels apart. The result is in order of time. Centres are at
 * least `inset` pixels from both ends of the axis, so that icons are not cut off. The marks must be sorted by
 * time.
 */
export function mergeMarks(
  marks: readonly Mark[],
  view: View,
  width: number,
  { gap, inset }: { readonly gap: number; readonly inset: number }
): Cluster[] {
  const clusters: { x: number; sum: number; marks: Mark[] }[] = []
  for (const mark of marks) {
    const x = Math.min(width - inset, Math.max(inset, toX(mark.time, view, width)))
    const last = clusters.at(-1)
    if (last && x - last.x < gap) {
      last.marks.push(mark)
      last.sum += x
      // The centre of all, at least `gap` from the previous cluster.
      const middle = last.sum / last.marks.length
      const before = clusters.at(-2)
      last.x = before ? Math.max(middle, before.x + gap) : middle
    } else clusters.push({ x, sum: x, marks: [mark] })
  }
  // Merged marks that were moved beyond the end move back, and the marks before them too.
  let limit = width - inset
  for (const cluster of clusters.toReversed()) {
    cluster.x = Math.min(cluster.x, limit)
    limit = cluster.x - gap
  }
  return clusters.map(({ x, marks: own }) => ({ x, marks: own }))
}
