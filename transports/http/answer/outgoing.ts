/**
 * Sends a response with backpressure. Clients may be slow, but not without limit: one that reads nothing for a while,
 * or next to nothing for long, is disconnected.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import { isHighSurrogate, toAsciiJson } from '../../../core/json/json-text.js'
import type { Failure } from '../../../core/call/outcome.js'
import type { PieceStep, Step, Texts } from '../../../core/call/texts.js'
import type { Exchange } from '../exchange.js'

/** Characters or bytes per write: what the client has not read of them stays in memory. */
const chunkSize = 256 * 1024
/** Checks per stall timeout. */
const checksPerTimeout = 4
/** The average rate is measured over this many stall timeouts. */
const rateTimeouts = 10
/** Bytes, and seconds, after which the permission to read is checked again. */
const recheckBytes = 1024 * 1024
const recheckSeconds = 1

/** Internals of a socket: how much the operating system has taken of what was written. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

/** The texts of a response after its first one. */
type Rest = AsyncIterator<string, void> & Pick<Partial<Texts>, 'isAscii' | 'nextPiece'>

export class Outgoing {
  readonly #res: ServerResponse
  readonly #socket: Socket
  /** The client's rate is measured only while we wait for it: the seconds waited, and the bytes taken before them. */
  #waited = 0
  #takenBefore = 0

  constructor(
    { req, res }: Pick<Exchange, 'req' | 'res'>,
    private readonly services: Pick<SharedServices, 'clock' | 'config'>
  ) {
    this.#res = res
    this.#socket = req.socket
    this.#takenBefore = this.#taken
  }

  /** Whether the client has disconnected. */
  get isGone(): boolean {
    return this.#res.destroyed || this.#socket.destroyed
  }

  /**
   * Writes text, never splitting a surrogate pair, or bytes. Waits for room in the buffers, or until the client has
   * disconnected. `isAscii`: whether that is known of the text.
   */
  async write(data: string | Uint8Array, isAscii = false): Promise<void> {
    for (let start = 0; start < data.length && !this.isGone;) {
      let end = start + chunkSize
      if (typeof data === 'string' && end < data.length && isHighSurrogate(data.charCodeAt(end - 1))) end--
      const part = start === 0 && end >= data.length ? data : slice(data, start, end)
      if (!this.#res.write(part, isAscii ? 'latin1' : encodingOf(part)) && !this.isGone)
        await this.#until('drain')
      start = end
    }
  }

  /** Waits until all of an ended response has been handed to the operating system. */
  async taken(): Promise<void> {
    if (!this.#res.writableFinished && !this.isGone) await this.#until('finish')
  }

  /**
   * Sends texts, and ends the response. If that fails, the connection is cut, which is the only way left to tell the
   * client that the response is incomplete. The caller releases what `rest` holds. `isAsciiJson`: whether `rest` is sent as JSON
   * in ASCII.
   */
  async sendText(first: string, rest: Rest, last: () => string, isAsciiJson = false): Promise<void> {
    try {
      await this.write(first)
      for (;;) {
        const { done, value: piece } = rest.nextPiece ? await rest.nextPiece() : asPiece(await rest.next())
        if (done) break
        if (piece.text !== '') {
          const isEscaped = isAsciiJson && rest.isAscii !== true
          await this.write(isEscaped ? toAsciiJson(piece.text) : piece.text, isEscaped || rest.isAscii)
        }
        if (piece.bytes) await this.write(piece.bytes)
        if (this.isGone) return
      }
      this.#res.end(last())
    } catch (error) {
      this.cut()
      throw error
    }
  }

  /** Sends what a source yields. `recheck` is called now and then; if it returns a failure, the connection is cut. */
  async send(
    source: AsyncIterable<Uint8Array>,
    recheck: () => Promise<Failure | undefined> | Failure | undefined
  ): Promise<void> {
    const { clock } = this.services
    let size = 0
    let checkedAt = clock.now()
    try {
      for await (const part of source) {
        if (size >= recheckBytes || clock.now() - checkedAt >= recheckSeconds) {
          const refusal = await recheck()
          if (refusal) throw refusal.error
          size = 0
          checkedAt = clock.now()
        }
        size += part.length
        await this.write(part)
        // Leaving the loop closes the source.
        if (this.isGone) return
      }
      this.#res.end()
    } catch (error) {
      this.cut()
      throw error
    }
  }

  /**
   * Resets the connection at once, discarding what the operating system has not sent yet. A partial response must not
   * check complete.
   */
  cut(): void {
    this.#socket.resetAndDestroy()
    this.#res.destroy()
  }

  /** Bytes that the operating system has taken so far. */
  get #taken(): number {
    // oxlint-disable-next-line no-underscore-dangle -- Node offers no other way
    const handle = (this.#socket as { readonly _handle?: Handle | null })._handle
    return handle ? handle.bytesWritten - handle.writeQueueSize : 0
  }

  #until(event: 'drain' | 'finish'): Promise<void> {
    const { clock, config } = this.services
    const { stalledSeconds } = config.limits
    return new Promise(resolve => {
      let [checkedAt, changedAt, taken] = [clock.now(), clock.now(), this.#taken]
      const note = (): void => {
        const now = clock.now()
        this.#waited += now - checkedAt
        checkedAt = now
        if (this.#taken !== taken) [changedAt, taken] = [now, this.#taken]
      }
      const check = (): void => {
        note()
        if (checkedAt - changedAt >= stalledSeconds || this.#isTooSlow) return this.cut()
        cancel = clock.after(stalledSeconds / checksPerTimeout, check)
      }
      const done = (): void => {
        note()
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
    if (this.#waited < rateTimeouts * stalledSeconds) return false
    const isTooSlow = this.#taken - this.#takenBefore < minBytesPerSecond * this.#waited
    this.#waited = 0
    this.#takenBefore = this.#taken
    return isTooSlow
  }
}

function asPiece({ done, value }: Step): PieceStep {
  return done ? { done, value: undefined } : { done: false, value: { text: value } }
}

/** Pure ASCII is the same in Latin-1, which Node measures and copies without inspecting each character. */
function encodingOf(data: string | Uint8Array): 'latin1' | 'utf8' {
  return typeof data === 'string' && Buffer.byteLength(data) === data.length ? 'latin1' : 'utf8'
}

function slice(data: string | Uint8Array, start: number, end: number): string | Uint8Array {
  return typeof data === 'string' ? data.slice(start, end) : data.subarray(start, end)
}
