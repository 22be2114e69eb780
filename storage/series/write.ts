/** Writes points into a series' chunks: appended, put in between, or merged with what is there. */
import type { Chunk, ChunkTable, NewChunk, SizedHead } from './chunks.js'
import type { Steps } from '../steps.js'
import { isCoarse, joined, merged, padded, rowTexts, timeOf, type Row } from './rows.js'
import { smallSize, summarized } from './summary.js'

/** Rows of a chunk at most. */
export const chunkSize = 2048
/** Characters of a chunk at most, unless a single row has more: to change a point in a chunk all of it is written. */
export const chunkLength = 512 * 1024
/** Chunks with more characters are not small, however few rows they have. */
const smallLength = chunkLength / 8
/** Small chunks at the end of a series that are merged together. */
export const looseLimit = 64

/** Writes to one series. */
export class SeriesWriter {
  /** `width` is that of the rows to write: no stored one is wider. */
  constructor(
    private readonly chunks: ChunkTable,
    private readonly event: number,
    private readonly width: number
  ) {}

  /** Adds rows, ascending, that come after all others; answers how many small chunks it has made. */
  *append(rows: readonly Row[]): Steps<number> {
    let small = 0
    for (const part of evenly(rows))
      for (const piece of this.#fromRows(part)) {
        this.#insert(piece)
        if (isSmall(piece)) small++
        yield
      }
    return small
  }

  /** Writes rows, ascending, none of which comes after all stored ones. */
  *merge(rows: readonly Row[]): Steps<void> {
    for (let start = 0; start < rows.length;) {
      const time = rows[start]![0]
      const next = this.chunks.startAfter(this.event, time)
      let end = start + 1
      // What follows is looked for again: chunks are cut as they grow.
      const most = Math.min(rows.length, start + chunkSize)
      while (end < most && rows[end]![0] < next) end++
      const group = rows.slice(start, end)
      const before = this.chunks.atOrBefore(this.event, time)
      if (before && time <= before.last) this.#overlay(before, group)
      else this.#between(before, group, next)
      start = end
      yield
    }
  }

  /** Merges small chunks among the last ones with their neighbours; answers how many small ones the series ends in now. */
  compact(): number {
    const tail = this.chunks.tail(this.event, 2 * looseLimit).toReversed()
    for (const run of runsOfSmall(tail)) this.#combine(run)
    return this.chunks.tail(this.event, 1).filter(isSmall).length
  }

  #overlay(chunk: Chunk, rows: readonly Row[]): void {
    const texts = merged(this.#textsOf(chunk), rows)
    const fine = chunk.fine || rows.some(([time]) => !isCoarse(time)) ? 1 : 0
    this.#replace(
      chunk,
      evenly(texts)
        .flatMap(shortEnough)
        .map(part => this.#fromTexts(part, fine))
    )
  }

  /** Rows for the gap between two chunks: they join a small neighbour, lest points that come one by one stay alone. */
  #between(before: Chunk | undefined, rows: readonly Row[], next: number): void {
    if (rows.length < smallSize) {
      const [own, ...others] = this.#fromRows(rows)
      if (own && others.length === 0) {
        if (before && areSmall(before, own)) return this.#replace(before, [this.#together([before, own])])
        const after = next === Infinity ? undefined : this.chunks.atOrBefore(this.event, next)
        if (after && areSmall(own, after)) return this.#replace(after, [this.#together([own, after])])
      }
    }
    for (const part of evenly(rows)) for (const piece of this.#fromRows(part)) this.#insert(piece)
  }

  /** Merges chunks that follow each other; none is cut. */
  #combine(run: readonly SizedHead[]): void {
    let group: Chunk[] = []
    let count = 0
    let length = 0
    const close = (): void => {
      if (group.length > 1) {
        for (const { number } of group) this.chunks.remove(number)
        this.#insert(this.#together(group))
      }
      group = []
      count = 0
      length = 0
    }
    for (const head of run) {
      if (count + head.count > chunkSize || length + head.size > chunkLength) close()
      group.push({ ...head, points: this.chunks.points(head.number) })
      count += head.count
      length += head.size
    }
    close()
  }

  #together(chunks: readonly Omit<NewChunk, 'summary'>[]): NewChunk {
    const texts = chunks.map(chunk =>
      chunk.width === this.width ? chunk.points : joined(this.#textsOf(chunk))
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
      summary: count < smallSize ? null : summarized(JSON.parse(`[${points}]`) as Row[]).summary
    }
  }

  #textsOf({ points, count, width }: Omit<NewChunk, 'summary'>): readonly string[] {
    return padded(rowTexts(points, count), this.width - width)
  }

  /** One chunk, or as many as keep each of them short. */
  #fromRows(rows: readonly Row[]): NewChunk[] {
    const text = summarized(rows)
    if (text.points.length > chunkLength && rows.length > 1) {
      const half = rows.length >>> 1
      return [...this.#fromRows(rows.slice(0, half)), ...this.#fromRows(rows.slice(half))]
    }
    const fine = rows.every(([time]) => isCoarse(time)) ? 0 : 1
    const [first, last] = [rows[0]![0], rows.at(-1)![0]]
    return [{ first, last, count: rows.length, width: this.width, fine, ...text }]
  }

  #fromTexts(texts: readonly string[], fine: number): NewChunk {
    const [first, last] = [timeOf(texts[0]!), timeOf(texts.at(-1)!)]
    // To sum them up would take longer than all the rest: that is done when somebody asks for it.
    const summary = null
    return { first, last, count: texts.length, width: this.width, fine, points: joined(texts), summary }
  }

  #replace(chunk: Chunk, [first, ...others]: readonly NewChunk[]): void {
    if (!first) return
    this.chunks.update(chunk, first)
    for (const piece of others) this.#insert(piece)
  }

  #insert(chunk: NewChunk): void {
    this.chunks.insert(this.event, chunk)
  }
}

/** Cuts a list into as few parts of nearly the same size as chunks allow. */
function evenly<T>(items: readonly T[]): (readonly T[])[] {
  const parts = Math.ceil(items.length / chunkSize)
  if (parts === 1) return [items]
  return Array.from({ length: parts }, (_, part) =>
    items.slice(Math.floor((part * items.length) / parts), Math.floor(((part + 1) * items.length) / parts))
  )
}

/** Cuts the texts of rows in halves until each part is short, or a single row. */
function shortEnough(texts: readonly string[]): (readonly string[])[] {
  let length = 0
  for (const text of texts) length += text.length
  if (length <= chunkLength || texts.length === 1) return [texts]
  const half = texts.length >>> 1
  return [...shortEnough(texts.slice(0, half)), ...shortEnough(texts.slice(half))]
}

function isSmall(chunk: NewChunk | SizedHead): boolean {
  const length = 'size' in chunk ? chunk.size : chunk.points.length
  return chunk.count < smallSize && length < smallLength
}

/** Whether two chunks are a small one together. */
function areSmall(one: Omit<NewChunk, 'summary'>, other: Omit<NewChunk, 'summary'>): boolean {
  return one.count + other.count <= smallSize && one.points.length + other.points.length <= smallLength
}

/** Small chunks that follow each other. */
function runsOfSmall(chunks: readonly SizedHead[]): SizedHead[][] {
  const runs: SizedHead[][] = [[]]
  for (const chunk of chunks) {
    if (isSmall(chunk)) runs.at(-1)!.push(chunk)
    else runs.push([])
  }
  return runs.filter(run => run.length > 1)
}
