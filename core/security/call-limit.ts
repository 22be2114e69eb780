/** How often a token may call: as many calls at once as fit into its window, then as fast as they run out of it. (docs/spec/limits.md#calls-of-a-token) */
import type { Access } from '../../schemas/access.js'
import { BoundedMap } from './bounded-map.js'
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import type { Clock } from '../time.js'
import type { Account } from '../../storage/platform/account.js'

/**
 * Counts the calls of each access, whatever brings them and however its token is sent. A user's calls are all made by one
 * thread, so counting here is enough; what is counted is forgotten with the process.
 */
export interface CallLimit {
  /** Counts a call. One too many is not counted, and raises `too-many-requests`. */
  count(account: Account, access: Access): void
  /** Raises `too-many-requests` where the next call would be one too many: before an upload, say. */
  check(account: Account, access: Access): void
}

/** Accesses remembered; those unused for longest go first, and most likely have all their calls again by then. */
const remembered = 50_000

/** The limit that the settings ask for; `undefined` without one: then calls are spared even the question. */
export function createCallLimit({ limits }: Config, clock: Clock): CallLimit | undefined {
  const { window, ...most } = limits.callsPerToken
  if (Object.values(most).every(calls => calls === 0)) return undefined
  /** When all that has been counted of an access will have run out, seconds. */
  const busyUntil = new BoundedMap<string, number>(remembered)

  /** Answers when the calls will have run out, this one among them. */
  const look = ({ id }: Account, access: Access): { key: string; until: number } | undefined => {
    const calls = most[access.type]
    if (calls === 0) return undefined
    // An account that came from elsewhere has brought the ids of its accesses along.
    const key = `${id} ${access.id}`
    const now = clock.now()
    const known = busyUntil.get(key) ?? now
    // After a clock that was set back nobody waits until it is what it was.
    const busy = known > now + window + tolerance ? now : Math.max(known, now)
    const until = busy + window / calls
    if (until - now > window + tolerance) refuse(access, { calls, window }, until - now - window)
    return { key, until }
  }
  return {
    count(account, access) {
      const counted = look(account, access)
      if (counted) busyUntil.set(counted.key, counted.until)
    },
    check: (account, access) => void look(account, access)
  }
}

/** Seconds are not exact. */
const tolerance = 1e-4

function refuse(access: Access, limit: { calls: number; window: number }, wait: number): never {
  const retryAfter = Math.max(Math.ceil(wait), 1)
  throw new ApiError(
    'too-many-requests',
    `This access may make ${limit.calls} calls in ${limit.window} seconds. Please try again later`,
    // In batches and over sockets there are no headers that could tell.
    { retryAfter, accessId: access.id, data: { ...limit, retryAfter } }
  )
}
