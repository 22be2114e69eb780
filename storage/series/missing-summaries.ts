/** Large chunks without a summary that samples had to read row by row. */
import type { ChunkTable } from './chunks.js'
import type { Row } from './rows.js'
import { minLargeRows, summarizeRows } from './summary.js'

/** Maximum number of chunks waiting for their summaries: others are found by the next sample. */
const maxChunks = 16_384
/** Number of chunks summarized in one write, which takes a few milliseconds. */
const maxSummarizedChunks = 8

export class MissingSummaries {
  readonly #chunks = new Set<number>()

  /** Number of chunks that wait for their summaries. */
  get size(): number {
    return this.#chunks.size
  }

  /** Records chunks, by number. */
  record(chunks: readonly number[]): void {
    for (const chunk of chunks) if (this.#chunks.size < maxChunks) this.#chunks.add(chunk)
  }

  /** Adds the summaries of a few chunks. */
  add(table: ChunkTable): void {
    for (const number of [...this.#chunks].slice(0, maxSummarizedChunks)) {
      this.#chunks.delete(number)
      const chunk = table.find(number)
      if (!chunk || chunk.count < minLargeRows || table.isSummarized(number)) continue
      const { summary } = summarizeRows(JSON.parse(`[${chunk.points}]`) as Row[])
      if (summary) table.summarize(chunk, summary)
    }
  }
}
