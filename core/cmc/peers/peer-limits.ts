/** Limits how often a peer calls. (docs/spec/consent.md#delivery) */
import type { MethodHook } from '../../call/hooks.js'
import type { Call } from '../../call/method.js'
import { ApiError } from '../../errors.js'
import { BoundedMap } from '../../security/bounded-map.js'
import { limitWait } from '../../time.js'

/** Maximum number of accesses that are counted. The least recently used go first. */
const maxAccesses = 50_000
const windowSeconds = 60

interface Window {
  readonly ends: number
  count: number
}

/** Counts the calls of each access. All calls of a user run in one thread, so counting in memory is enough. */
export class PeerLimits {
  readonly #windows = new BoundedMap<string, Window>(maxAccesses)

  /** Counts a call. Throws `too-many-requests` for a call beyond the limit. */
  count({ account, caller, now }: Call, maxPerMinute: number): void {
    const key = `${account.id} ${caller.access?.id ?? ''}`
    const known = this.#windows.get(key)
    const window =
      known && limitWait(known.ends, now, windowSeconds) > now
        ? known
        : { ends: now + windowSeconds, count: 0 }
    if (window !== known) this.#windows.set(key, window)
    if (window.count >= maxPerMinute)
      throw new ApiError('too-many-requests', 'This peer makes too many calls', {
        retryAfter: Math.ceil(window.ends - now)
      })
    window.count++
  }
}

/** Creates the hook of `mirrors.report`, which counts reports on copies like events: each writes many records into the audit. */
export function createReportHook(limits: PeerLimits): MethodHook {
  return {
    before(call, params) {
      limits.count(call, call.services.config.cmc.maxPerPeerPerMinute)
      return { params }
    }
  }
}
