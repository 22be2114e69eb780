/** Shares of what all sockets or all webhooks of an account may use together. */
import type { Access } from '../../schemas/access.js'

/** What an access uses already. */
export type Use = readonly [accessId: string, amount: number]

/**
 * Returns whether an access may use `amount` beyond what is in use. A single shared or app access gets at most half of
 * the limit, so that something is left for the user.
 */
export function isWithinShare(
  { id, type }: Access,
  amount: number,
  inUse: Iterable<Use>,
  limit: number
): boolean {
  let all = amount
  let own = amount
  for (const [accessId, used] of inUse) {
    all += used
    if (accessId === id) own += used
  }
  return all <= limit && (type === 'personal' || own <= Math.ceil(limit / 2))
}
