/** Posts messages to webhooks: body, signature, and limits of concurrency. (docs/spec/notifications.md#delivery) */
import { createHmac } from 'node:crypto'
import type { StoredWebhook } from '../../storage/repositories/webhooks.js'
import type { Config } from '../settings/config.js'
import { toMetaMember } from '../envelope.js'
import { ApiError } from '../errors.js'
import { Outgoing } from './http.js'
import type { Clock } from '../time.js'
import { ConcurrencyLimiter } from './concurrency.js'

/** `t={seconds},v1={hex HMAC-SHA256 of "{seconds}.{body}"}`; sent only to webhooks that have a secret. */
export const signatureHeader = 'Webhook-Signature'

/** Maximum number of waiting or running test calls per account; and the value of `Retry-After`, in seconds. */
const maxTests = 20
const retryAfter = 5

/** Makes the calls to the webhooks of all accounts. */
export class WebhookSender {
  readonly #outgoing: Outgoing
  readonly #limiter: ConcurrencyLimiter
  /** Number of waiting or running test calls, by account. */
  readonly #tests = new Map<string, number>()

  constructor(
    private readonly config: Config,
    private readonly clock: Clock
  ) {
    const { allowInternalTargets, concurrency, perHost, perSecond, perUser, timeoutMs } = config.webhooks
    this.#outgoing = new Outgoing({ allowInternal: allowInternalTargets, timeoutMs })
    this.#limiter = new ConcurrencyLimiter({
      concurrency,
      perSecond,
      limitFor: key => (key.startsWith('host ') ? perHost : perUser)
    })
  }

  /** Numbers of waiting and running calls. */
  get load(): { readonly waiting: number; readonly running: number } {
    return this.#limiter.load
  }

  /**
   * Calls a webhook with the message `test` when it is its turn. Returns the status; 0 without a response.
   * Error: `too-many-requests` if too many test calls of the account are waiting, since clients may not wait
   * for them. Also returns 0 after `stop`.
   */
  async test(accountId: string, kept: StoredWebhook): Promise<number> {
    const count = this.#tests.get(accountId) ?? 0
    if (count >= maxTests)
      throw new ApiError('too-many-requests', 'Too many webhooks of this user are being tested', {
        retryAfter
      })
    this.#tests.set(accountId, count + 1)
    try {
      return (await this.runWithinLimits(accountId, kept.webhook.url, () => this.post(kept, ['test']))) ?? 0
    } finally {
      const left = this.#tests.get(accountId)! - 1
      if (left > 0) this.#tests.set(accountId, left)
      else this.#tests.delete(accountId)
    }
  }

  /** Runs work that calls a user's webhook as soon as the limits allow; returns `undefined` after `stop`. */
  async runWithinLimits<T>(accountId: string, url: string, work: () => Promise<T>): Promise<T | undefined> {
    return await this.#limiter.run([`host ${new URL(url).host}`, `user ${accountId}`], work)
  }

  /**
   * Makes a call; to be used within {@link runWithinLimits}. Returns the status; 0 without a response. Never rejects.
   */
  async post({ secret, webhook }: StoredWebhook, messages: readonly string[]): Promise<number> {
    const now = this.clock.now()
    const body = `{"messages":${JSON.stringify(messages)},${toMetaMember(this.config, now)}}`
    return await this.#outgoing.post(webhook.url, body, {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': `Coffer/${this.config.apiVersion}`,
      ...(secret === undefined ? {} : { [signatureHeader]: createSignature(secret, now, body) })
    })
  }

  /** Starts no more calls; those in progress continue. */
  stop(): void {
    this.#limiter.close()
  }

  /** Aborts calls in progress. */
  async close(): Promise<void> {
    await this.#outgoing.close()
  }
}

/** Returns whether this is the status of a successful call. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

/** Returns the value of {@link signatureHeader}. `now` in seconds. */
export function createSignature(secret: string, now: number, body: string): string {
  const digest = createHmac('sha256', secret).update(`${now}.${body}`).digest('hex')
  return `t=${now},v1=${digest}`
}
