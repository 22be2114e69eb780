/** Reads channels, where notifications go. (docs/api/channels.md) */
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { useReading, type Reading } from '../data/reading.js'
import type { IconName } from '../parts/icon.js'

export const channelTypes = [
  'web-push',
  'mail',
  'ntfy',
  'gotify',
  'apprise',
  'webhook',
  'person',
  'event'
] as const
export type ChannelType = (typeof channelTypes)[number]

/** A channel as the API returns it. */
export interface Channel {
  readonly id: string
  readonly type: ChannelType
  readonly name: string
  readonly accessId: string
  readonly target: Readonly<Record<string, unknown>> & { readonly digest?: string }
  readonly state: 'active' | 'ended'
  readonly reason?: 'gone' | 'incomplete'
}

/** A message for a channel, and what became of it. Times are in seconds. */
export interface Delivery {
  readonly id: string
  readonly title: string
  readonly source: { readonly kind: string }
  readonly state: 'waiting' | 'delivered' | 'failed' | 'held'
  readonly queued: number
  readonly lastAttempt?: number
  readonly nextAttempt?: number
  readonly error?: { readonly id: string; readonly status?: number }
}

interface Read {
  readonly channels: readonly Channel[]
  /** The key with which browsers subscribe. */
  readonly webPushKey: string
}

const icons: Readonly<Record<ChannelType, IconName>> = {
  'web-push': 'bell',
  mail: 'note',
  ntfy: 'phone',
  gotify: 'phone',
  apprise: 'globe',
  webhook: 'link',
  person: 'person',
  event: 'tree'
}

/** Returns the icon of a type of channel. */
export function getIcon(type: ChannelType): IconName {
  return icons[type]
}

/** Returns the name of a type of channels. */
export function getTypeName(type: ChannelType): string {
  return t(`channels.type.${type}`)
}

/**
 * Returns all channels, or why they cannot be read; undefined until they are read. `reread` reads them again.
 */
export function useChannels(): Reading<Read> {
  const { client } = useAccount()
  return useReading(async () => await client.call<Read>('channels.get'), [client])
}
