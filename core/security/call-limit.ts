/**
 * Limits the calls of a token: the calls of a full window may come at once, further ones only as earlier ones expire.
 * (docs/spec/limits.md#calls-of-a-token)
 */
import type { Access } from '../../schemas/access.js'
import { BoundedMap } from './bounded-map.js'
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import type { Clock } from '../time.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * Counts the calls of each access over all transports, however its token is sent. All calls of a user run in one thread,
 * so counting in memory is enough; a restart resets the counts.
 */
export interface CallLimit {
  /** Counts a call. Throws `too-many-requests` for a call beyond the limit, which is not counted. */
  count(account: Account, access: Access): void
  /** Throws `too-many-requests` if the next call would exceed the limit. For use before an upload, for example. */
  check(account: Account, access: Access): void
}

/**
 * Maximum number of accesses that are counted. Beyond it, the least recently used are forgotten; most likely their window
 * has passed by then.
 */
const maxAccesses = 50_000

/**
 * Creates the configured limit; `undefined` if no limit is configured, so that calls skip the check
 * altogether. Kinds of accesses whose limit is 0 are not limited.
 */
export function createCallLimit({ limits }: Config, clock: Clock): CallLimit | undefined {
  const { window, ...limitByType } = limits.callsPerToken
  if (Object.values(limitByType).every(calls => calls === 0)) return undefined
  /** When all counted calls of an access will have expired, in seconds. */
  const exhaustedUntil = new BoundedMap<string, number>(maxAccesses)

  /** Returns when all calls will have expired, including this one. Throws if this call exceeds the limit. */
  const checkNextCall = ({ id }: Account, access: Access): { key: string; until: number } | undefined => {
    const calls = limitByType[access.type]
    if (calls === 0) return undefined
    // Access ids are not unique among accounts: imported accounts keep theirs.
    const key = `${id} ${access.id}`
    const now = clock.now()
    const known = exhaustedUntil.get(key) ?? now
    // After the clock was set back, no caller has to wait until it has caught up.
    const busy = known > now + window + tolerance ? now : Math.max(known, now)
    const until = busy + window / calls
    if (until - now > window + tolerance) refuse(access, { calls, window }, until - now - window)
    return { key, until }
  }
  return {
    count(account, access) {
      const counted = checkNextCall(account, access)
      if (counted) exhaustedUntil.set(counted.key, counted.until)
    },
    check: (account, access) => void checkNextCall(account, access)
  }
}

/** Seconds, for rounding errors. */
const tolerance = 1e-4

function refuse(access: Access, limit: { calls: number; window: number }, wait: number): never {
  const retryAfter = Math.max(Math.ceil(wait), 1)
  throw new ApiError(
    'too-many-requests',
    `This access has reached its call limit (${limit.calls} per ${limit.window} s). Try again later`,
    // In the data too: in batches and over sockets there is no `Retry-After` header.
    { retryAfter, accessId: access.id, data: { ...limit, retryAfter } }
  )
}
