/** Queues messages for channels, in the transaction that causes them, so that a crash loses none. (docs/api/channels.md#delivery) */
import type { Call } from '../call/method.js'
import { truncateText } from '../truncate-text.js'

/** A message for people. */
export interface ChannelMessage {
  /**
   * Unique in the account: queueing a message twice does nothing. `rule:{id}:{firing}`, `reminder:{id}:{time}`,
   * `letter:{week}`.
   */
  readonly key: string
  /** Channels that do not exist, or have ended, are skipped. */
  readonly channelIds: readonly string[]
  /** In the user's language. The code that queues the message decides whether the title may mention data. */
  readonly title: string
  readonly text: string
  readonly urgency: 'low' | 'normal' | 'high'
  /** What to open, as a path within the pages of the account: `alerts/ID`. */
  readonly page?: string
  /** Buttons, where the channel has them: each opens a path in the app. */
  readonly actions?: readonly { readonly id: string; readonly title: string; readonly page: string }[]
  readonly source: {
    readonly kind: 'rule' | 'reminder' | 'letter' | 'consent' | 'test' | 'summary'
    readonly id: string
  }
}

/** A message as it is stored. */
export type QueuedMessage = Omit<ChannelMessage, 'channelIds' | 'key'>

/** Maximum lengths of title and text, in characters. */
const maxTitleLength = 200
const maxTextLength = 1500
/** Maximum number of messages of an account that wait. More of them mean that something is wrong. */
const maxWaiting = 10_000

/**
 * Queues a message for channels, in the transaction of the call, with its title and text shortened to the
 * limits. Returns the number of channels that will get it: 0 if the message has been queued before, if no
 * channel is active, or if too many messages wait.
 */
export function queueMessage(
  { changes, now, store }: Pick<Call, 'changes' | 'now' | 'store'>,
  { channelIds, key, ...message }: ChannelMessage
): number {
  const ids = [...new Set(channelIds)].filter(id => store.channels.find(id)?.channel.state === 'active')
  if (ids.length === 0 || store.messages.isKnown(key)) return 0
  if (store.messages.countWaiting(maxWaiting) >= maxWaiting) return 0
  const queued: QueuedMessage = {
    ...message,
    title: shorten(message.title, maxTitleLength),
    text: shorten(message.text, maxTextLength)
  }
  const body = JSON.stringify(queued)
  for (const channel of ids) store.messages.add({ key, channel, queued: now, next: now, body })
  changes.add('timers')
  return ids.length
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${truncateText(text, length - 1)}…` : text
}
