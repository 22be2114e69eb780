/** Removes the points of a range: whole chunks, and rows of the chunks at its ends. */
import type { Chunk, ChunkTable } from './chunks.js'
import type { Range } from './page.js'
import { joinRows, lowerBound, splitRows, parseTime, type Row } from './rows.js'
import { summarizeRows } from './summary.js'

/** The number of removed points, and whether the range is done. */
export interface Removal {
  readonly count: number
  readonly isDone: boolean
}

/** Removes the first points of a range: the points in at most `limit` chunks. */
export function removePoints(chunks: ChunkTable, event: number, { from, to }: Range, limit: number): Removal {
  let count = 0
  const previous = chunks.findAtOrBefore(event, from)
  if (previous && previous.first < from) count += removeWithin(chunks, previous, { from, to })
  const heads = chunks.listHeads(event, from, to, limit)
  for (const head of heads) {
    if (head.last < to) {
      chunks.remove(head.number)
      count += head.count
    } else count += removeWithin(chunks, { ...head, points: chunks.readPoints(head.number) }, { from, to })
  }
  return { count, isDone: heads.length < limit }
}

/** Removes the points of a range that have one of these deltaTimes. Returns their number. */
export function removeTimes(
  chunks: ChunkTable,
  event: number,
  { from, to }: Range,
  times: ReadonlySet<number>
): number {
  const previous = chunks.findAtOrBefore(event, from)
  const later = chunks.listHeads(event, from, to, -1)
  const all = previous && previous.first < from && previous.last >= from ? [previous, ...later] : later
  let count = 0
  for (const head of all) {
    const chunk = { ...head, points: chunks.readPoints(head.number) }
    const texts = splitRows(chunk.points, chunk.count)
    const remaining = texts.filter(text => !times.has(parseTime(text)))
    count += texts.length - remaining.length
    if (remaining.length === 0) chunks.remove(head.number)
    else if (remaining.length < texts.length) replacePoints(chunks, chunk, remaining)
  }
  return count
}

/** Removes the rows of a range from a chunk that extends beyond it. */
function removeWithin(chunks: ChunkTable, chunk: Chunk, { from, to }: Range): number {
  if (chunk.last < from) return 0
  const texts = splitRows(chunk.points, chunk.count)
  const start = lowerBound(texts, from)
  const end = lowerBound(texts, to, start)
  if (start === end) return 0
  const remaining = texts.toSpliced(start, end - start)
  replacePoints(chunks, chunk, remaining)
  return end - start
}

function replacePoints(chunks: ChunkTable, chunk: Chunk, remaining: readonly string[]): void {
  const points = joinRows(remaining)
  const { summary } = summarizeRows(JSON.parse(`[${points}]`) as Row[])
  const [first, last] = [parseTime(remaining[0]!), parseTime(remaining.at(-1)!)]
  chunks.update(chunk, { ...chunk, first, last, count: remaining.length, points, summary })
}
