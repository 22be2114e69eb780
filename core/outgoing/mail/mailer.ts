/**
 * Mails leave after the answers to the calls that cause them, one after the other, tried again if need be: a mail server
 * that is slow, or down, holds up nobody and tells nobody anything. (docs/spec/authentication.md#mails)
 */
import type { Config } from '../../settings/config.js'
import type { Log } from '../../log.js'
import type { Clock } from '../../time.js'
import { isAddress, type Message, type MessageKind, type MailTransport } from './message.js'

export interface MailerOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** None where no way to send mail is configured. */
  readonly transport: MailTransport | undefined
}

/** Writes a letter when its turn comes; nothing, if there is none to write. */
type Write = () => Promise<Message | undefined>

/** Letters that may wait. With more than this, something is wrong. */
const waitingAtMost = 1000
/** Letters handed over at a time. */
const atOnce = 2
/** Seconds after which a letter that could not be handed over is tried again. */
const patience = [10, 60, 300, 1800]

export class Mailer {
  readonly #waiting: (() => Promise<void>)[] = []
  readonly #aborting = new AbortController()
  /** What is tried again later; each, called, is tried at once. */
  readonly #retries = new Set<() => void>()
  readonly #running = new Set<Promise<void>>()
  #isClosed = false

  constructor(private readonly options: MailerOptions) {}

  /** Letters that wait for their turn. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Whether no letter waits or is being handed over; some may be tried again later. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#running.size === 0
  }

  /** Whether letters of a kind are to be sent at all. */
  sends(kind: MessageKind): boolean {
    const { enabled } = this.options.config.services.email
    if (typeof enabled === 'boolean') return enabled
    // What guards the way to a new password goes where that is open.
    return kind === 'welcome' ? enabled.welcome : enabled.resetPassword
  }

  /** Sends a letter in its turn. Never waits, never raises. */
  send(write: Write): void {
    this.#add(async () => {
      const letter = await write()
      if (letter) await this.#deliver(letter, 0)
    })
  }

  /** Hands over what waits, as far as that goes within so many seconds; the rest is dropped. Nothing is taken any more. */
  async close(seconds: number): Promise<void> {
    this.#isClosed = true
    for (const tryNow of this.#retries) tryNow()
    const timer = setTimeout(() => this.#giveUp(), seconds * 1000)
    while (this.#running.size > 0) await Promise.all(this.#running)
    clearTimeout(timer)
    this.#aborting.abort()
  }

  #giveUp(): void {
    const dropped = this.#waiting.splice(0).length
    if (dropped > 0) this.options.log.warn(`${dropped} mails were dropped: the service stops`)
    this.#aborting.abort()
  }

  #add(job: () => Promise<void>): void {
    if (this.#isClosed) return
    if (this.#waiting.length >= waitingAtMost)
      return this.options.log.warn('a mail was dropped: too many are waiting')
    this.#enqueue(job)
  }

  #enqueue(job: () => Promise<void>): void {
    this.#waiting.push(job)
    this.#next()
  }

  #next(): void {
    if (this.#running.size >= atOnce) return
    const job = this.#waiting.shift()
    if (!job) return
    const running = Promise.resolve()
      .then(job)
      .catch((cause: unknown) => this.options.log.warn('a mail could not be written', { cause }))
      .finally(() => {
        this.#running.delete(running)
        this.#next()
      })
    this.#running.add(running)
  }

  async #deliver(letter: Message, attempt: number): Promise<void> {
    const { log, transport } = this.options
    const { accountId, link } = letter
    if (!transport) {
      if (link !== undefined)
        log.warn('no mail server is configured: this link is for the user who asked for it', {
          accountId,
          link
        })
      return
    }
    try {
      if (!isAddress(letter.email)) throw new Error('not an e-mail address')
      await transport.deliver(letter, this.#aborting.signal)
    } catch (error) {
      const isLast = attempt >= patience.length || this.#isClosed
      log.warn(isLast ? 'a mail could not be sent' : 'a mail could not be sent yet', {
        accountId,
        cause: troubleOf(error)
      })
      if (!isLast) this.#retry(letter, attempt)
    }
  }

  #retry(letter: Message, attempt: number): void {
    const again = (): Promise<void> => this.#deliver(letter, attempt + 1)
    const cancel = this.options.clock.after(patience[attempt]!, () => {
      this.#retries.delete(tryNow)
      this.#add(again)
    })
    const tryNow = (): void => {
      this.#retries.delete(tryNow)
      cancel()
      this.#enqueue(again)
    }
    this.#retries.add(tryNow)
  }
}

/** What operators need to know; a mail server's own words may quote addresses and contents. */
function troubleOf(error: unknown): string {
  const { code, message, responseCode } = error as {
    code?: string
    responseCode?: number
    message?: string
  }
  return `${code ?? message ?? 'unknown'}${responseCode === undefined ? '' : ` ${responseCode}`}`
}
