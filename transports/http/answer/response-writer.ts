/**
 * Sends a response with backpressure. Clients may be slow, but not without limit: a client that reads nothing for a
 * while, or next to nothing for long, is disconnected.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import { isHighSurrogate, toAsciiJson } from '../../../core/json/json-text.js'
import type { Failure } from '../../../core/call/outcome.js'
import type { ChunkResult, TextResult, TextSource } from '../../../core/call/text-source.js'
import type { Exchange } from '../exchange.js'

/** Characters or bytes per write. The unread part of a write stays in memory. */
const chunkSize = 256 * 1024
/** Checks per stall timeout. */
const checksPerTimeout = 4
/** The average rate is measured over this many stall timeouts. */
const rateTimeouts = 10
/** Bytes, and seconds, after which the permission to read is checked again. */
const recheckBytes = 1024 * 1024
const recheckSeconds = 1

/** Internals of a socket: bytes written, and bytes that the operating system has not taken yet. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

/**
 * How a response is encoded: `latin1` for bytes that are held as text, a character for each, as all ASCII may be; `ascii-json` escapes
 * other characters, in each write.
 */
type TextEncoding = 'utf8' | 'ascii-json' | 'latin1'

/** The texts of a response after its first text. */
type RemainingTexts = AsyncIterator<string, void> & Pick<Partial<TextSource>, 'isAscii' | 'nextChunk'>

/** Returns no texts, for a response that is complete with its first text. */
export async function* noTexts(): AsyncGenerator<string, void> {}

export class ResponseWriter {
  readonly #res: ServerResponse
  readonly #socket: Socket
  /** The client's rate is measured only while we wait for it: seconds waited, and bytes taken before that. */
  #waitedSeconds = 0
  #takenBefore = 0

  constructor(
    { req, res }: Pick<Exchange, 'req' | 'res'>,
    private readonly services: Pick<SharedServices, 'clock' | 'config'>
  ) {
    this.#res = res
    this.#socket = req.socket
    this.#takenBefore = this.#taken
  }

  /** True once the client has disconnected. */
  get isDisconnected(): boolean {
    return this.#res.destroyed || this.#socket.destroyed
  }

  /**
   * Writes text, never splitting a surrogate pair, or bytes. Waits for room in the buffers, or until the client has
   * disconnected.
   */
  async write(data: string | Uint8Array, encoding: TextEncoding = 'utf8'): Promise<void> {
    for (let start = 0; start < data.length && !this.isDisconnected;) {
      let end = start + chunkSize
      if (typeof data === 'string' && end < data.length && isHighSurrogate(data.charCodeAt(end - 1))) end--
      const part = start === 0 && end >= data.length ? data : sliceData(data, start, end)
      const chunk = encoding === 'ascii-json' && typeof part === 'string' ? toAsciiJson(part) : part
      const sent = encoding === 'utf8' ? getEncoding(chunk) : 'latin1'
      if (!this.#res.write(chunk, sent) && !this.isDisconnected) await this.#waitFor('drain')
      start = end
    }
  }

  /** Waits until an ended response has been passed to the operating system completely. */
  async waitUntilTaken(): Promise<void> {
    if (!this.#res.writableFinished && !this.isDisconnected) await this.#waitFor('finish')
  }

  /**
   * Sends texts, and ends the response. If that fails, the connection is reset, since that is the only way to show the client
   * that the response is incomplete, and the error is thrown. Resolves early if the client disconnects, which ends `remainder` even
   * while it has nothing to send. The caller releases `remainder`.
   */
  async sendText(
    first: string,
    remainder: RemainingTexts,
    last: () => string,
    encoding: TextEncoding = 'utf8'
  ): Promise<void> {
    const stop = (): void => void remainder.return?.()
    this.#res.once('close', stop)
    try {
      await this.write(first, encoding)
      while (!this.isDisconnected) {
        const { done, value: chunk } = remainder.nextChunk
          ? await remainder.nextChunk()
          : toPieceStep(await remainder.next())
        if (done) break
        if (chunk.text !== '') {
          await this.write(chunk.text, remainder.isAscii ? 'latin1' : encoding)
        }
        if (chunk.bytes) await this.write(chunk.bytes)
      }
      if (!this.isDisconnected) this.#res.end(last())
    } catch (error) {
      this.reset()
      throw error
    } finally {
      this.#res.off('close', stop)
    }
  }

  /**
   * Sends the chunks of a source, and ends the response. `recheck` is called at intervals. If it returns a failure, or the
   * source fails, the connection is reset and the error thrown. Resolves early if the client has disconnected.
   */
  async sendChunks(
    source: AsyncIterable<Uint8Array> | Iterable<string>,
    recheck: () => Promise<Failure | undefined> | Failure | undefined
  ): Promise<void> {
    const { clock } = this.services
    let size = 0
    let checkedAt = clock.now()
    try {
      for await (const chunk of source) {
        if (size >= recheckBytes || clock.now() - checkedAt >= recheckSeconds) {
          const refusal = await recheck()
          if (refusal) throw refusal.error
          size = 0
          checkedAt = clock.now()
        }
        size += chunk.length
        await this.write(chunk)
        // Leaving the loop closes the source.
        if (this.isDisconnected) return
      }
      this.#res.end()
    } catch (error) {
      this.reset()
      throw error
    }
  }

  /**
   * Resets the connection immediately, and discards what the operating system has not sent yet. A partial response must not
   * look complete.
   */
  reset(): void {
    this.#socket.resetAndDestroy()
    this.#res.destroy()
  }

  /** Bytes that the operating system has taken so far. */
  get #taken(): number {
    // oxlint-disable-next-line no-underscore-dangle -- Node offers no other way
    const handle = (this.#socket as { readonly _handle?: Handle | null })._handle
    return handle ? handle.bytesWritten - handle.writeQueueSize : 0
  }

  /** Waits for the client to read on. Resets the connection if it reads nothing for a while, or too slowly. */
  #waitFor(event: 'drain' | 'finish'): Promise<void> {
    const { clock, config } = this.services
    const { stalledSeconds } = config.limits
    return new Promise(resolve => {
      let [checkedAt, changedAt, taken] = [clock.now(), clock.now(), this.#taken]
      const update = (): void => {
        const now = clock.now()
        this.#waitedSeconds += now - checkedAt
        checkedAt = now
        if (this.#taken !== taken) [changedAt, taken] = [now, this.#taken]
      }
      const check = (): void => {
        update()
        if (checkedAt - changedAt >= stalledSeconds || this.#isTooSlow) return this.reset()
        cancel = clock.after(stalledSeconds / checksPerTimeout, check)
      }
      const done = (): void => {
        update()
        cancel()
        this.#res.off(event, done).off('close', done)
        resolve()
      }
      let cancel = clock.after(stalledSeconds / checksPerTimeout, check)
      this.#res.on(event, done).on('close', done)
    })
  }

  get #isTooSlow(): boolean {
    const { minBytesPerSecond, stalledSeconds } = this.services.config.limits
    if (this.#waitedSeconds < rateTimeouts * stalledSeconds) return false
    const isTooSlow = this.#taken - this.#takenBefore < minBytesPerSecond * this.#waitedSeconds
    this.#waitedSeconds = 0
    this.#takenBefore = this.#taken
    return isTooSlow
  }
}

function toPieceStep({ done, value }: TextResult): ChunkResult {
  return done ? { done, value: undefined } : { done: false, value: { text: value } }
}

/** Pure ASCII is the same in Latin-1, which Node measures and copies without inspecting each character. */
function getEncoding(data: string | Uint8Array): 'latin1' | 'utf8' {
  return typeof data === 'string' && Buffer.byteLength(data) === data.length ? 'latin1' : 'utf8'
}

function sliceData(data: string | Uint8Array, start: number, end: number): string | Uint8Array {
  return typeof data === 'string' ? data.slice(start, end) : data.subarray(start, end)
}
