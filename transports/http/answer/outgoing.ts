/**
 * An answer on its way to a client that takes it as slowly as it likes, though not slower than that: a client that takes
 * nothing for a while, or next to nothing for long, is cut.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SharedServices } from '../../../core/call/dispatcher.js'
import { isHighSurrogate } from '../../../core/json/json-text.js'
import type { Failure } from '../../../core/call/outcome.js'
import type { Exchange } from '../exchange.js'

/** Characters, or bytes, that are handed over at once: what is not taken of them is held. */
const atOnce = 256 * 1024
/** Looks at a client in the time in which it has to take something. */
const looks = 4
/** So many times that time is what its pace is measured over. */
const paceTimes = 10
/** Bytes, and seconds, after which it is asked again who takes an answer. */
const recheckBytes = 1024 * 1024
const recheckSeconds = 1

/** What is below a socket, and not shown by it: how much the system has taken of what was written. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

export class Outgoing {
  readonly #res: ServerResponse
  readonly #socket: Socket
  /** Since when, and with how much taken, the client's pace is measured: only while it is waited for. */
  #waited = 0
  #takenBefore = 0

  constructor(
    { req, res }: Pick<Exchange, 'req' | 'res'>,
    private readonly core: Pick<SharedServices, 'clock' | 'config'>
  ) {
    this.#res = res
    this.#socket = req.socket
    this.#takenBefore = this.#taken
  }

  /** Whether nobody listens any longer. */
  get isGone(): boolean {
    return this.#res.destroyed || this.#socket.destroyed
  }

  /** Writes text, whole characters that is, or bytes, and waits until there is room for more or nobody listens. */
  async write(data: string | Uint8Array): Promise<void> {
    for (let start = 0; start < data.length && !this.isGone;) {
      let end = start + atOnce
      if (typeof data === 'string' && end < data.length && isHighSurrogate(data.charCodeAt(end - 1))) end--
      const part = start === 0 && end >= data.length ? data : slice(data, start, end)
      if (!this.#res.write(part) && !this.isGone) await this.#until('drain')
      start = end
    }
  }

  /** Waits until all of an answer that has ended has been taken. */
  async taken(): Promise<void> {
    if (!this.#res.writableFinished && !this.isGone) await this.#until('finish')
  }

  /** Sends texts, and ends the answer. What fails on the way cuts it: that is the only way to say that the rest will not come. */
  async sendText(first: string, rest: AsyncIterable<string>, last: () => string): Promise<void> {
    try {
      await this.write(first)
      for await (const text of rest) {
        await this.write(text)
        // Leaving the loop releases what the rest holds.
        if (this.isGone) return
      }
      this.#res.end(last())
    } catch (error) {
      this.cut()
      throw error
    }
  }

  /** Sends what a source yields. `recheck` tells now and then why its client may not have the rest: then the line is cut. */
  async send(
    source: AsyncIterable<Uint8Array>,
    recheck: () => Promise<Failure | undefined> | Failure | undefined
  ): Promise<void> {
    const { clock } = this.core
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

  /** Cuts the line at once: what the system has taken and not sent yet goes too. Half of an answer must not look whole. */
  cut(): void {
    this.#socket.resetAndDestroy()
    this.#res.destroy()
  }

  /** What the system has taken, in bytes. */
  get #taken(): number {
    // oxlint-disable-next-line no-underscore-dangle -- Node tells nobody else
    const handle = (this.#socket as { readonly _handle?: Handle | null })._handle
    return handle ? handle.bytesWritten - handle.writeQueueSize : 0
  }

  #until(event: 'drain' | 'finish'): Promise<void> {
    const { clock, config } = this.core
    const { stalledSeconds } = config.limits
    return new Promise(resolve => {
      let [lookedAt, changedAt, taken] = [clock.now(), clock.now(), this.#taken]
      const note = (): void => {
        const now = clock.now()
        this.#waited += now - lookedAt
        lookedAt = now
        if (this.#taken !== taken) [changedAt, taken] = [now, this.#taken]
      }
      const look = (): void => {
        note()
        if (lookedAt - changedAt >= stalledSeconds || this.#isTooSlow) return this.cut()
        cancel = clock.after(stalledSeconds / looks, look)
      }
      const done = (): void => {
        note()
        cancel()
        this.#res.off(event, done).off('close', done)
        resolve()
      }
      let cancel = clock.after(stalledSeconds / looks, look)
      this.#res.on(event, done).on('close', done)
    })
  }

  get #isTooSlow(): boolean {
    const { minBytesPerSecond, stalledSeconds } = this.core.config.limits
    if (this.#waited < paceTimes * stalledSeconds) return false
    const isTooSlow = this.#taken - this.#takenBefore < minBytesPerSecond * this.#waited
    this.#waited = 0
    this.#takenBefore = this.#taken
    return isTooSlow
  }
}

function slice(data: string | Uint8Array, start: number, end: number): string | Uint8Array {
  return typeof data === 'string' ? data.slice(start, end) : data.subarray(start, end)
}
