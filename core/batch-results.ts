/** The results of a batch as text: in one piece if they are short, else piece by piece, with others getting their turn in between. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { success, type Success } from './outcome.js'

/** Pieces have about this many characters: to join and send all of a long answer at once takes a while. */
const pieceSize = 256 * 1024

export class BatchResults {
  /** Texts, and the number of characters of all: the texts of one result follow one another. */
  readonly #texts: string[] = []
  size = 0
  #count = 0

  /** Adds the next result, in the texts that it came in. */
  add(texts: readonly string[]): void {
    const [first = '', ...others] = texts
    this.#texts.push(this.#count++ === 0 ? first : `,${first}`, ...others)
    for (const text of texts) this.size += text.length
  }

  /** The outcome of the batch. */
  outcome(accessId: string | undefined): Success {
    const pieces = this.#pieces()
    const first = pieces.next().value ?? ''
    const next = pieces.next()
    const text = `"results":[${first}`
    if (next.done) return success(`${text}]`, accessId)
    return { ...success(text, accessId), rest: rest(next.value, pieces) }
  }

  *#pieces(): Generator<string, undefined> {
    let piece = ''
    for (const text of this.#texts) {
      if (piece !== '' && piece.length + text.length > pieceSize) {
        yield piece
        piece = ''
      }
      piece += text
    }
    if (piece !== '') yield piece
    return undefined
  }
}

async function* rest(
  first: string,
  others: Generator<string, undefined>
): AsyncGenerator<string, void, undefined> {
  await nextTurn()
  yield first
  for (const piece of others) {
    await nextTurn()
    yield piece
  }
  yield ']'
}
