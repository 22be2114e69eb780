/** Makes one attempt to send a message to a channel outside the account. (docs/api/channels.md#delivery) */
import type { ChannelType, DeliveryError } from '../../schemas/channel.js'
import { isTransient } from '../cmc/peers/peer-calls.js'
import type { Services } from '../call/services.js'
import { ConcurrencyLimiter } from '../outgoing/concurrency.js'
import { Outgoing } from '../outgoing/http.js'
import { getAppPageUrl } from '../service-info.js'
import { createChannelCall, type ChannelCall, type PendingMessage } from './requests.js'
import { findConfirmed } from './rules.js'
import { getLanguage } from './texts.js'

/** The result of an attempt; `ends`: why the channel can no longer be used. */
export type Attempt =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false
      readonly error: DeliveryError
      readonly isFinal: boolean
      /** Seconds. */
      readonly retryAfter?: number | undefined
      readonly ends?: 'gone' | 'incomplete'
    }

const delivered: Attempt = { isDelivered: true }

/** Maximum number of bytes of a response that are read. */
const maxResponseBytes = 64 * 1024

/** Sends messages by the kind of their channel: 64 at a time, and 8 for one account. */
export class ChannelSender {
  readonly #outgoing: Outgoing
  readonly #limiter = new ConcurrencyLimiter({
    concurrency: 64,
    perSecond: 200,
    limitFor: key => (key.startsWith('account ') ? 8 : 4)
  })

  constructor(services: Services) {
    const { allowInternalTargets, timeoutMs } = services.config.channels
    this.#outgoing = new Outgoing({ allowInternal: allowInternalTargets, timeoutMs })
  }

  /**
   * Makes an attempt as soon as the limits allow, and if the message is still `isDue` then. Returns `undefined` if it is not, and
   * after {@link close}.
   */
  async send(pending: PendingMessage, isDue: () => boolean): Promise<Attempt | undefined> {
    const { account, stored } = pending
    const keys = [`account ${account.id}`, `channel ${stored.channel.id}`]
    if (stored.channel.type === 'mail')
      return await this.#limiter.run(keys, async () => (isDue() ? await sendMail(pending) : undefined))
    const call = await createChannelCall(pending)
    if (!call) return fail({ id: 'channel-ended' }, { ends: 'incomplete' })
    return await this.#limiter.run([...keys, `host ${new URL(call.url).host}`], async () =>
      isDue() ? await this.#callReceiver(call, stored.channel.type) : undefined
    )
  }

  /** Aborts the calls in progress, and makes no more. */
  async close(): Promise<void> {
    this.#limiter.close()
    await this.#outgoing.close()
  }

  /**
   * Sends a message to its receiver. Returns whether it was delivered, is to be tried again, or has failed; never
   * rejects for a response.
   */
  async #callReceiver({ url, ...call }: ChannelCall, type: ChannelType): Promise<Attempt> {
    const exchange = await this.#outgoing.exchange(url, call, maxResponseBytes)
    if ('problem' in exchange) {
      const { problem } = exchange
      if (problem === 'internal') return fail({ id: 'internal-address' })
      // The receiver has got the message, whatever it says at such length.
      if (problem === 'too-long') return fail({ id: 'refused' })
      return retry({ id: problem })
    }
    const { retryAfter, status } = exchange
    // Apprise knows no one to notify under this key.
    if (type === 'apprise' && status === 204) return fail({ id: 'refused', status })
    if (status >= 200 && status <= 299) return delivered
    if (isTransient({ status, body: {} })) return retry({ id: 'refused', status }, retryAfter)
    const isGone = type === 'web-push' && (status === 404 || status === 410)
    return fail({ id: 'refused', status }, isGone ? { ends: 'gone' } : {})
  }
}

/**
 * Mails a message to the address of its channel, which must still be a confirmed address of the account. Returns
 * whether it was sent, and if not, whether to retry.
 */
async function sendMail({ account, message, services, stored, username }: PendingMessage): Promise<Attempt> {
  const { accounts, config, mailer } = services
  const store = accounts.openStore(account)
  // The address may have been removed from the account since then.
  const email = store.read(() => findConfirmed(store, stored.channel.target.address ?? ''))
  if (email === undefined) return fail({ id: 'address-not-confirmed' })
  const result = await mailer.attempt({
    kind: 'notification',
    accountId: account.id,
    username,
    email,
    language: store.read(() => getLanguage(store)),
    substitutions: {
      USERNAME: username,
      TITLE: message.title,
      TEXT: message.text,
      LINK: getAppPageUrl(config, username, message.page ?? ''),
      CHANNELS_LINK: getAppPageUrl(config, username, 'channels')
    }
  })
  if (result === 'sent') return delivered
  return result === 'refused' ? fail({ id: 'mail-refused' }) : retry({ id: 'mail-unavailable' })
}

function fail(error: DeliveryError, more: { readonly ends?: 'gone' | 'incomplete' } = {}): Attempt {
  return { isDelivered: false, error, isFinal: true, ...more }
}

function retry(error: DeliveryError, retryAfter?: number): Attempt {
  return { isDelivered: false, error, isFinal: false, retryAfter }
}
