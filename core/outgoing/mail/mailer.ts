/**
 * Sends mails in the background, with retries. A slow or unavailable mail server delays no call, and response times
 * reveal nothing, such as whether an address exists. (docs/spec/authentication.md#mails)
 */
import type { Config } from '../../settings/config.js'
import type { Log } from '../../log.js'
import type { Clock } from '../../time.js'
import { isAddress, isNotice, type Message, type MessageKind, type MailTransport } from './message.js'

interface MailerOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** `undefined` if no mail server is configured. */
  readonly transport: MailTransport | undefined
}

/** Writes a message when it is about to be sent; `undefined` if there is nothing to send. */
type MessageWriter = () => Promise<Message | undefined>

/** Maximum number of waiting messages. More waiting messages mean that something is wrong. */
const maxWaiting = 1000
/** Number of messages sent concurrently. */
const concurrency = 2
/** Delays before each retry, in seconds. */
const retryDelays = [10, 60, 300, 1800]

/** Sends the mails that the settings enable. */
export class Mailer {
  readonly #waiting: (() => Promise<void>)[] = []
  readonly #aborting = new AbortController()
  /** Functions that start a scheduled retry immediately. */
  readonly #retries = new Set<() => void>()
  readonly #running = new Set<Promise<void>>()
  #isClosed = false

  constructor(private readonly options: MailerOptions) {}

  /** Number of waiting messages. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Whether no message is waiting or being sent; retries may be scheduled. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#running.size === 0
  }

  /** Returns whether messages of a kind are enabled. */
  sends(kind: MessageKind): boolean {
    const { enabled, notices } = this.options.config.services.email
    if (isNotice(kind) && !notices) return false
    if (typeof enabled === 'boolean') return enabled
    const { resetPassword = true, verifyEmail = false, welcome = true } = enabled
    if (kind === 'welcome') return welcome
    // All other messages are sent if password resets are enabled, which they protect.
    return kind === 'verifyEmail' ? verifyEmail : resetPassword
  }

  /** Whether the addresses of new accounts have to be verified, too: only where the settings say so. */
  get verifiesNewAccounts(): boolean {
    const { enabled } = this.options.config.services.email
    return typeof enabled !== 'boolean' && enabled.verifyEmail === true
  }

  /** Whether there is a mail server that can deliver messages. */
  get hasServer(): boolean {
    return this.options.transport !== undefined
  }

  /**
   * Queues a message. Never waits, never throws. It is dropped if too many wait, or after `close`. Without a
   * mail server, its link is logged for the operator.
   */
  send(write: MessageWriter): void {
    this.#add(async () => {
      const message = await write()
      if (message) await this.#deliver(message, 0)
    })
  }

  /**
   * Makes one attempt to send a message, for callers that repeat it on their own. Returns `refused` if
   * another attempt would fail as well. Never rejects. Returns `failed` also without a mail server. Failures
   * are logged.
   */
  async attempt(message: Message): Promise<'sent' | 'failed' | 'refused'> {
    const { log, transport } = this.options
    if (!transport || this.#isClosed) return 'failed'
    try {
      if (!isAddress(message.email)) throw new Undeliverable('not an email address')
      await transport.deliver(message, this.#aborting.signal)
      return 'sent'
    } catch (error) {
      log.warn('an email could not be sent', { accountId: message.accountId, cause: describeError(error) })
      return isPermanent(error) ? 'refused' : 'failed'
    }
  }

  /**
   * Stops accepting messages, and sends what is waiting for up to `seconds`, retries at once; the rest is
   * dropped.
   */
  async close(seconds: number): Promise<void> {
    this.#isClosed = true
    for (const tryNow of this.#retries) tryNow()
    const timer = setTimeout(() => this.#dropWaiting(), seconds * 1000)
    while (this.#running.size > 0) await Promise.all(this.#running)
    clearTimeout(timer)
    this.#aborting.abort()
  }

  #dropWaiting(): void {
    const dropped = this.#waiting.splice(0).length
    if (dropped > 0) this.options.log.warn(`emails dropped at shutdown: ${dropped}`)
    this.#aborting.abort()
  }

  #add(job: () => Promise<void>): void {
    if (this.#isClosed) return
    if (this.#waiting.length >= maxWaiting)
      return this.options.log.warn('an email was dropped because too many are waiting')
    this.#enqueue(job)
  }

  #enqueue(job: () => Promise<void>): void {
    this.#waiting.push(job)
    this.#startNext()
  }

  /** Starts the next waiting job, unless as many are running as may. */
  #startNext(): void {
    if (this.#running.size >= concurrency) return
    const job = this.#waiting.shift()
    if (!job) return
    const running = Promise.resolve()
      .then(job)
      .catch((cause: unknown) => this.options.log.warn('an email could not be created', { cause }))
      .finally(() => {
        this.#running.delete(running)
        this.#startNext()
      })
    this.#running.add(running)
  }

  /**
   * Makes one attempt to deliver a message; schedules a retry if a later one may succeed. Without a mail
   * server, logs its link.
   */
  async #deliver(message: Message, attempt: number): Promise<void> {
    const { log, transport } = this.options
    const { accountId, link } = message
    if (!transport) {
      if (link !== undefined)
        log.warn('no mail server is set; give this link to the user who requested it', {
          accountId,
          link
        })
      return
    }
    try {
      if (!isAddress(message.email)) throw new Undeliverable('not an email address')
      await transport.deliver(message, this.#aborting.signal)
    } catch (error) {
      const isLast = attempt >= retryDelays.length || this.#isClosed || isPermanent(error)
      log.warn(isLast ? 'an email could not be sent' : 'an email could not be sent and will be retried', {
        accountId,
        cause: describeError(error)
      })
      if (!isLast) this.#scheduleRetry(message, attempt)
    }
  }

  /** Delivers a message again after a delay; at once when the mailer closes. */
  #scheduleRetry(message: Message, attempt: number): void {
    const retry = (): Promise<void> => this.#deliver(message, attempt + 1)
    const cancel = this.options.clock.after(retryDelays[attempt]!, () => {
      this.#retries.delete(tryNow)
      this.#add(retry)
    })
    const tryNow = (): void => {
      this.#retries.delete(tryNow)
      cancel()
      this.#enqueue(retry)
    }
    this.#retries.add(tryNow)
  }
}

/** Thrown for an address to which nothing can be sent. */
class Undeliverable extends Error {}

/**
 * Returns whether another attempt would fail as well: mail servers report permanent errors of addresses by codes from
 * 500.
 */
function isPermanent(error: unknown): boolean {
  const {
    code,
    command,
    responseCode = 0
  } = error as {
    code?: string
    command?: string
    responseCode?: number
  }
  return (
    error instanceof Undeliverable || (code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 500)
  )
}

/** Returns the error code only: a mail server's own text may quote addresses and contents. */
function describeError(error: unknown): string {
  const { code, message, responseCode } = error as {
    code?: string
    responseCode?: number
    message?: string
  }
  return `${code ?? message ?? 'unknown'}${responseCode === undefined ? '' : ` ${responseCode}`}`
}
