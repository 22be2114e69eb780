/** Removes the points of a range: whole chunks as they are, those at its ends cut. */
import type { Chunk, ChunkTable } from './chunks.js'
import type { Range } from './page.js'
import { joined, lowerBound, rowTexts, timeOf, type Row } from './rows.js'
import { summarized } from './summary.js'

/** How many points have been removed, and whether there may be more in the range. */
export interface Removal {
  readonly count: number
  readonly isDone: boolean
}

/** Removes the first points of a range: those in `limit` chunks at most. */
export function removePoints(chunks: ChunkTable, event: number, { from, to }: Range, limit: number): Removal {
  let count = 0
  const begun = chunks.atOrBefore(event, from)
  if (begun && begun.first < from) count += cutOut(chunks, begun, { from, to })
  const heads = chunks.heads(event, from, to, limit)
  for (const head of heads) {
    if (head.last < to) {
      chunks.remove(head.number)
      count += head.count
    } else count += cutOut(chunks, { ...head, points: chunks.points(head.number) }, { from, to })
  }
  return { count, isDone: heads.length < limit }
}

/** Removes those points of a range that have one of these deltaTimes; returns how many. */
export function removeTimes(
  chunks: ChunkTable,
  event: number,
  { from, to }: Range,
  times: ReadonlySet<number>
): number {
  const begun = chunks.atOrBefore(event, from)
  const later = chunks.heads(event, from, to, -1)
  const all = begun && begun.first < from && begun.last >= from ? [begun, ...later] : later
  let count = 0
  for (const head of all) {
    const chunk = { ...head, points: chunks.points(head.number) }
    const texts = rowTexts(chunk.points, chunk.count)
    const left = texts.filter(text => !times.has(timeOf(text)))
    count += texts.length - left.length
    if (left.length === 0) chunks.remove(head.number)
    else if (left.length < texts.length) replace(chunks, chunk, left)
  }
  return count
}

/** Takes the rows of a range out of a chunk that goes beyond it. */
function cutOut(chunks: ChunkTable, chunk: Chunk, { from, to }: Range): number {
  if (chunk.last < from) return 0
  const texts = rowTexts(chunk.points, chunk.count)
  const start = lowerBound(texts, from)
  const end = lowerBound(texts, to, start)
  if (start === end) return 0
  const left = texts.toSpliced(start, end - start)
  replace(chunks, chunk, left)
  return end - start
}

function replace(chunks: ChunkTable, chunk: Chunk, left: readonly string[]): void {
  const points = joined(left)
  const { summary } = summarized(JSON.parse(`[${points}]`) as Row[])
  const [first, last] = [timeOf(left[0]!), timeOf(left.at(-1)!)]
  chunks.update(chunk, { ...chunk, first, last, count: left.length, points, summary })
}
