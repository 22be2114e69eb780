/** When failed attempts are repeated, and for how long. (docs/api/channels.md#delivery) */
import type { ChannelMessage } from './queue-message.js'

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
