/** Posts messages to webhooks: body, signature, and how many at a time. (docs/spec/notifications.md#delivery) */
import { createHmac } from 'node:crypto'
import type { KeptWebhook } from '../../storage/repositories/webhooks.js'
import type { Config } from '../settings/config.js'
import { metaMember } from '../envelope.js'
import { Outgoing } from './http.js'
import type { Clock } from '../time.js'
import { ConcurrencyLimiter } from './concurrency.js'

/** `t={seconds},v1={hex HMAC-SHA256 of "{seconds}.{body}"}`; only webhooks that asked for it carry it. */
export const signatureHeader = 'Webhook-Signature'

export class WebhookSender {
  readonly #outgoing: Outgoing
  readonly #lanes: ConcurrencyLimiter

  constructor(
    private readonly config: Config,
    private readonly clock: Clock
  ) {
    const { allowInternalTargets, concurrency, perHost, perSecond, perUser, timeoutMs } = config.webhooks
    this.#outgoing = new Outgoing({ allowInternal: allowInternalTargets, timeoutMs })
    this.#lanes = new ConcurrencyLimiter({
      concurrency,
      perSecond,
      of: key => (key.startsWith('host ') ? perHost : perUser)
    })
  }

  /** Calls that wait for their turn, and those that are under way. */
  get load(): { readonly waiting: number; readonly running: number } {
    return this.#lanes.load
  }

  /** Runs what ends in a call of a user's webhook as soon as there is room; `undefined` after a stop. */
  async inTurn<T>(accountId: string, url: string, work: () => Promise<T>): Promise<T | undefined> {
    return await this.#lanes.run([`host ${new URL(url).host}`, `user ${accountId}`], work)
  }

  /** Makes a call; only in turn. Answers the status, 0 for none. Never rejects. */
  async post({ secret, webhook }: KeptWebhook, messages: readonly string[]): Promise<number> {
    const now = this.clock.now()
    const body = `{"messages":${JSON.stringify(messages)},${metaMember(this.config, now)}}`
    return await this.#outgoing.post(webhook.url, body, {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': `Coffer/${this.config.apiVersion}`,
      ...(secret === undefined ? {} : { [signatureHeader]: signature(secret, now, body) })
    })
  }

  /** Begins no more calls; those under way go on. */
  stop(): void {
    this.#lanes.close()
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    await this.#outgoing.close()
  }
}

/** Whether a call with this status has succeeded. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

function signature(secret: string, now: number, body: string): string {
  const digest = createHmac('sha256', secret).update(`${now}.${body}`).digest('hex')
  return `t=${now},v1=${digest}`
}
