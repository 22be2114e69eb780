/** Writes points into a series' chunks: appended, inserted in between, or merged with existing ones. */
import type { Chunk, ChunkTable, NewChunk, SizedHead } from './chunks.js'
import type { Steps } from '../steps.js'
import {
  isCoarse,
  joinRows,
  mergeRows,
  padRows,
  splitRows,
  parseTime,
  type MergeCheck,
  type Row
} from './rows.js'
import { minLargeRows, summarizeRows } from './summary.js'

/** Maximum number of rows of a chunk. */
export const maxChunkRows = 2048
/** Maximum length of a chunk in characters, unless a single row is longer: changing a point rewrites its chunk. */
const maxChunkLength = 512 * 1024
/** Chunks with more characters are not small, even if they have few rows. */
const maxSmallLength = maxChunkLength / 8
/** Number of small chunks at the end of a series that are merged together. */
export const maxLooseChunks = 64

/** Writes to one series. */
export class SeriesWriter {
  /** `width`: the width of the rows to write; no stored row is wider. `check`: see {@link mergeRows}. */
  constructor(
    private readonly chunks: ChunkTable,
    private readonly event: number,
    private readonly width: number,
    private readonly check?: MergeCheck
  ) {}

  /** Appends ascending rows that come after all others. Returns the number of small chunks added. */
  *append(rows: readonly Row[]): Steps<number> {
    let small = 0
    for (const part of splitEvenly(rows))
      for (const chunk of this.#fromRows(part)) {
        this.#insert(chunk)
        if (isSmall(chunk)) small++
        yield
      }
    return small
  }

  /** Writes ascending rows, all of which lie at or before the last stored row. */
  *merge(rows: readonly Row[]): Steps<void> {
    for (let start = 0; start < rows.length;) {
      const time = rows[start]![0]
      const next = this.chunks.findStartAfter(this.event, time)
      let end = start + 1
      // The next chunk is looked up again: chunks are split as they grow.
      const limit = Math.min(rows.length, start + maxChunkRows)
      while (end < limit && rows[end]![0] < next) end++
      const group = rows.slice(start, end)
      const before = this.chunks.findAtOrBefore(this.event, time)
      if (before && time <= before.last) this.#mergeIntoChunk(before, group)
      else this.#insertBetween(before, group, next)
      start = end
      yield
    }
  }

  /** Merges small chunks among the last ones. Returns the number of small chunks that remain at the end of the series. */
  compact(): number {
    const tail = this.chunks.listLast(this.event, 2 * maxLooseChunks).toReversed()
    for (const run of findSmallRuns(tail)) this.#combine(run)
    return this.chunks.listLast(this.event, 1).filter(isSmall).length
  }

  #mergeIntoChunk(chunk: Chunk, rows: readonly Row[]): void {
    const texts = mergeRows(this.#readTexts(chunk), rows, this.check)
    const fine = chunk.fine || rows.some(([time]) => !isCoarse(time)) ? 1 : 0
    this.#replaceChunk(
      chunk,
      splitEvenly(texts)
        .flatMap(splitLongTexts)
        .map(part => this.#fromTexts(part, fine))
    )
  }

  /**
   * Inserts rows into the gap between two chunks: they join a small neighbour, so that points written one by one do not
   * stay separate.
   */
  #insertBetween(before: Chunk | undefined, rows: readonly Row[], next: number): void {
    if (rows.length < minLargeRows) {
      const [own, ...others] = this.#fromRows(rows)
      if (own && others.length === 0) {
        if (before && fitTogether(before, own))
          return this.#replaceChunk(before, [this.#mergeChunks([before, own])])
        const after = next === Infinity ? undefined : this.chunks.findAtOrBefore(this.event, next)
        if (after && fitTogether(own, after))
          return this.#replaceChunk(after, [this.#mergeChunks([own, after])])
      }
    }
    for (const part of splitEvenly(rows)) for (const chunk of this.#fromRows(part)) this.#insert(chunk)
  }

  /** Merges consecutive chunks; none is split. */
  #combine(run: readonly SizedHead[]): void {
    let group: Chunk[] = []
    let count = 0
    let length = 0
    const close = (): void => {
      if (group.length > 1) {
        for (const { number } of group) this.chunks.remove(number)
        this.#insert(this.#mergeChunks(group))
      }
      group = []
      count = 0
      length = 0
    }
    for (const head of run) {
      if (count + head.count > maxChunkRows || length + head.size > maxChunkLength) close()
      group.push({ ...head, points: this.chunks.readPoints(head.number) })
      count += head.count
      length += head.size
    }
    close()
  }

  /** Joins consecutive chunks to one, padded to the present width. Chunks with few rows get no summary. */
  #mergeChunks(chunks: readonly Omit<NewChunk, 'summary'>[]): NewChunk {
    const texts = chunks.map(chunk =>
      chunk.width === this.width ? chunk.points : joinRows(this.#readTexts(chunk))
    )
    const points = texts.join(',')
    const count = chunks.reduce((sum, chunk) => sum + chunk.count, 0)
    return {
      first: chunks[0]!.first,
      last: chunks.at(-1)!.last,
      count,
      width: this.width,
      fine: chunks.some(({ fine }) => fine) ? 1 : 0,
      points,
      summary: count < minLargeRows ? null : summarizeRows(JSON.parse(`[${points}]`) as Row[]).summary
    }
  }

  #readTexts({ points, count, width }: Omit<NewChunk, 'summary'>): readonly string[] {
    return padRows(splitRows(points, count), this.width - width)
  }

  /** Builds one chunk, or several chunks if one would be too long. */
  #fromRows(rows: readonly Row[]): NewChunk[] {
    const text = summarizeRows(rows)
    if (text.points.length > maxChunkLength && rows.length > 1) {
      const half = rows.length >>> 1
      return [...this.#fromRows(rows.slice(0, half)), ...this.#fromRows(rows.slice(half))]
    }
    const fine = rows.every(([time]) => isCoarse(time)) ? 0 : 1
    const [first, last] = [rows[0]![0], rows.at(-1)![0]]
    return [{ first, last, count: rows.length, width: this.width, fine, ...text }]
  }

  #fromTexts(texts: readonly string[], fine: number): NewChunk {
    const [first, last] = [parseTime(texts[0]!), parseTime(texts.at(-1)!)]
    // Summarizing takes longer than everything else: it is done on request.
    const summary = null
    return { first, last, count: texts.length, width: this.width, fine, points: joinRows(texts), summary }
  }

  #replaceChunk(chunk: Chunk, [first, ...others]: readonly NewChunk[]): void {
    if (!first) return
    this.chunks.update(chunk, first)
    for (const other of others) this.#insert(other)
  }

  #insert(chunk: NewChunk): void {
    this.chunks.insert(this.event, chunk)
  }
}

/** Splits a list into the fewest parts of nearly equal size that fit chunks. */
function splitEvenly<T>(items: readonly T[]): (readonly T[])[] {
  const parts = Math.ceil(items.length / maxChunkRows)
  if (parts === 1) return [items]
  return Array.from({ length: parts }, (_, part) =>
    items.slice(Math.floor((part * items.length) / parts), Math.floor(((part + 1) * items.length) / parts))
  )
}

/** Halves the texts of rows until each part is short, or a single row. */
function splitLongTexts(texts: readonly string[]): (readonly string[])[] {
  let length = 0
  for (const text of texts) length += text.length
  if (length <= maxChunkLength || texts.length === 1) return [texts]
  const half = texts.length >>> 1
  return [...splitLongTexts(texts.slice(0, half)), ...splitLongTexts(texts.slice(half))]
}

/** Returns whether a chunk has so few rows and characters that it is merged with small neighbours. */
function isSmall(chunk: NewChunk | SizedHead): boolean {
  const length = 'size' in chunk ? chunk.size : chunk.points.length
  return chunk.count < minLargeRows && length < maxSmallLength
}

/** Returns whether two chunks together are still small. */
function fitTogether(a: Omit<NewChunk, 'summary'>, b: Omit<NewChunk, 'summary'>): boolean {
  return a.count + b.count <= minLargeRows && a.points.length + b.points.length <= maxSmallLength
}

/** Finds runs of consecutive small chunks. */
function findSmallRuns(chunks: readonly SizedHead[]): SizedHead[][] {
  const runs: SizedHead[][] = [[]]
  for (const chunk of chunks) {
    if (isSmall(chunk)) runs.at(-1)!.push(chunk)
    else runs.push([])
  }
  return runs.filter(run => run.length > 1)
}
