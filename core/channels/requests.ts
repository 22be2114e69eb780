/** The HTTP calls of channels, by type: where they go, and when failed ones are repeated. (docs/api/channels.md#types) */
import { createHash } from 'node:crypto'
import type { ChannelType } from '../../schemas/channel.js'
import type { StoredChannel } from '../../storage/channels/channel-repository.js'
import type { StoredMessage } from '../../storage/channels/message-repository.js'
import type { Account } from '../../storage/platform/account.js'
import type { Services } from '../call/services.js'
import type { OutgoingFetch } from '../outgoing/http.js'
import { createSignature, signatureHeader } from '../outgoing/webhook-sender.js'
import { getAppPageUrl } from '../service-info.js'
import { truncateText } from '../truncate-text.js'
import type { QueuedMessage, ChannelMessage } from './queue-message.js'
import { createPushCall } from './web-push.js'
import { parseUrl } from '../parse-url.js'

/** A message that is about to be sent. */
export interface PendingMessage {
  readonly services: Services
  readonly account: Account
  readonly stored: StoredChannel
  readonly row: StoredMessage
  readonly message: QueuedMessage
  /** What the holder of the access calls the account: its alias for them, or the user name. */
  readonly username: string
}

/** A call to make. */
export interface ChannelCall extends OutgoingFetch {
  readonly url: string
}

/** Header with the id of a message, by which receivers recognise one that arrives twice. */
const messageIdHeader = 'Coffer-Message-Id'

/** Bytes of the payload of Web Push, which push services limit to about 4,000. */
const maxPayloadBytes = 3500

const ntfyPriorities = { low: 2, normal: 3, high: 5 } as const
const gotifyPriorities = { low: 2, normal: 5, high: 8 } as const

/** Returns the id under which a receiver gets a message. It is the same for each attempt, and differs between channels. */
export function getMessageId({ channel, key }: Pick<StoredMessage, 'channel' | 'key'>): string {
  return createHash('sha256').update(`${channel}\n${key}`).digest('base64url').slice(0, 22)
}

/** Creates the call for a message; `undefined` if the channel lacks its secrets, as after the import of an export. */
export async function createChannelCall(pending: PendingMessage): Promise<ChannelCall | undefined> {
  const create = creators[pending.stored.channel.type]
  const call = await create?.(pending)
  if (!call) return undefined
  const { row, services } = pending
  return {
    ...call,
    headers: {
      'user-agent': `Coffer/${services.config.apiVersion}`,
      [messageIdHeader]: getMessageId(row),
      ...call.headers
    }
  }
}

type Create = (pending: PendingMessage) => ChannelCall | undefined | Promise<ChannelCall | undefined>

const creators: Partial<Record<ChannelType, Create>> = {
  'web-push': createPush,
  ntfy(pending) {
    const { message, row, stored } = pending
    const { target, secrets } = splitChannel(stored)
    if (target.url === undefined || (target.hasToken === true && secrets.token === undefined))
      return undefined
    const click = getPageUrl(pending)
    return buildJsonPost(
      target.url,
      {
        topic: target.topic,
        title: message.title,
        message: message.text,
        priority: ntfyPriorities[message.urgency],
        // Servers of 2025 and later replace a notification that arrives twice.
        sequence_id: getMessageId(row),
        ...(click !== undefined && { click }),
        ...(message.actions && {
          actions: message.actions
            .slice(0, 3)
            .map(({ page, title }) => ({ action: 'view', label: title, url: getPageUrl(pending, page) }))
        })
      },
      secrets.token === undefined ? {} : { authorization: `Bearer ${secrets.token}` }
    )
  },
  gotify(pending) {
    const { message, stored } = pending
    const { target, secrets } = splitChannel(stored)
    if (target.url === undefined || secrets.token === undefined) return undefined
    const url = getPageUrl(pending)
    return buildJsonPost(
      joinUrl(target.url, 'message'),
      {
        title: message.title,
        message: message.text,
        priority: gotifyPriorities[message.urgency],
        ...(url !== undefined && { extras: { 'client::notification': { click: { url } } } })
      },
      { 'x-gotify-key': secrets.token }
    )
  },
  apprise(pending) {
    const { message, stored } = pending
    const { target, secrets } = splitChannel(stored)
    if (target.url === undefined || secrets.key === undefined) return undefined
    const url = getPageUrl(pending)
    return buildJsonPost(joinUrl(target.url, `notify/${encodeURIComponent(secrets.key)}`), {
      title: message.title,
      body: url === undefined ? message.text : `${message.text}\n${url}`,
      type: message.urgency === 'high' ? 'warning' : 'info',
      format: 'text'
    })
  },
  webhook(pending) {
    const { message, row, services, stored, username } = pending
    const { target, secrets } = splitChannel(stored)
    if (target.url === undefined || (target.hasSecret === true && secrets.secret === undefined))
      return undefined
    const url = getPageUrl(pending)
    const { source, text, title, urgency } = message
    const call = buildJsonPost(target.url, {
      id: getMessageId(row),
      username,
      title,
      text,
      urgency,
      source,
      queued: row.queued,
      ...(url !== undefined && { url })
    })
    if (secrets.secret === undefined) return call
    const signature = createSignature(secrets.secret, services.clock.now(), call.body)
    return { ...call, headers: { ...call.headers, [signatureHeader]: signature } }
  }
}

function splitChannel({ channel, secrets }: StoredChannel) {
  return { target: channel.target, secrets }
}

/** Returns the call that pushes a message to a browser; `undefined` if the channel has no endpoint, as after the import of an export. */
async function createPush(pending: PendingMessage): Promise<ChannelCall | undefined> {
  const { message, row, services, stored } = pending
  const { endpoint } = stored.secrets
  if (endpoint === undefined) return undefined
  const id = getMessageId(row)
  const { urgency } = message
  const call = await createPushCall(services, stored.secrets, {
    payload: createPayload(pending, id),
    topic: id,
    ttl: Math.max(0, Math.round(row.queued + getLifetimeSeconds(urgency) - services.clock.now())),
    urgency
  })
  return { url: endpoint, ...call }
}

/** Returns what the app's service worker gets, as JSON. Paths are relative to the app. */
function createPayload({ message, username }: PendingMessage, id: string): string {
  const { actions, page, text, title, urgency } = message
  const toPath = (path: string): string => `${username}/${path}`
  const build = (shown: string): string =>
    JSON.stringify({
      id,
      title,
      text: shown,
      urgency,
      ...(page !== undefined && { page: toPath(page) }),
      ...(actions && { actions: actions.map(each => ({ ...each, page: toPath(each.page) })) })
    })
  let shown = text
  while (Buffer.byteLength(build(shown)) > maxPayloadBytes && shown.length > 1)
    shown = `${truncateText(shown, Math.floor(shown.length * 0.8))}…`
  return build(shown)
}

function getPageUrl(
  { message, services, username }: PendingMessage,
  page = message.page
): string | undefined {
  return page === undefined ? undefined : getAppPageUrl(services.config, username, page)
}

function joinUrl(url: string, path: string): string {
  return url.endsWith('/') ? `${url}${path}` : `${url}/${path}`
}

function buildJsonPost(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {}
): ChannelCall & { readonly body: string } {
  return {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body)
  }
}

/** Seconds between attempts. */
const delays = [1, 5, 30, 120, 600, 1800, 3600]

/** Seconds for which a message is worth sending. An alarm that arrives hours late misleads. */
const lifetimes = { low: 86_400, normal: 86_400, high: 3600 } as const

/** Returns the seconds after which a message is no longer sent. */
export function getLifetimeSeconds(urgency: ChannelMessage['urgency']): number {
  return lifetimes[urgency]
}

/** Returns the seconds until the next attempt, after a number of failed ones. `retryAfter`: what the receiver asks for, in seconds. */
export function getDelay(attempts: number, retryAfter = 0): number {
  return Math.max(delays[Math.min(attempts, delays.length) - 1] ?? 0, Math.min(retryAfter, 86_400))
}

/**
 * Returns a digest of where the messages of a channel go: the hourly limit holds for a target, however many channels lead there.
 * (docs/api/channels.md#delivery)
 */
export function getTargetKey({ channel: { target, type }, secrets }: StoredChannel): string {
  const { accessId, address, digest, streamId, topic, url } = target
  const place = [
    digest,
    address?.toLowerCase(),
    url === undefined ? undefined : normalizeUrl(url),
    topic,
    accessId,
    streamId,
    type === 'gotify' ? secrets.token : secrets.key
  ]
  return createHash('sha256')
    .update(JSON.stringify([type, ...place]))
    .digest('base64url')
}

/** Returns a URL without what a receiver may ignore. */
function normalizeUrl(text: string): string {
  const url = parseUrl(text)
  return url ? `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}` : text
}
