/** Marks that would lie upon each other, taken together. */
import type { Mark } from './data.js'
import { place, type View } from './scale.js'

export interface Cluster {
  readonly x: number
  /** The first of them; the others have the same icon or another one. */
  readonly marks: readonly Mark[]
}

/** Merges marks whose middles are nearer than `gap` pixels; in order of time. */
export function merged(marks: readonly Mark[], view: View, width: number, gap: number): Cluster[] {
  const clusters: { x: number; sum: number; marks: Mark[] }[] = []
  for (const mark of marks) {
    const x = place(mark.time, view, width)
    const last = clusters.at(-1)
    if (last && x - last.x < gap) {
      last.marks.push(mark)
      last.sum += x
      // The middle of all, unless that comes near the next one before.
      const middle = last.sum / last.marks.length
      const before = clusters.at(-2)
      last.x = before ? Math.max(middle, before.x + gap) : middle
    } else clusters.push({ x, sum: x, marks: [mark] })
  }
  return clusters.map(({ x, marks: own }) => ({ x, marks: own }))
}
