/** Peers that have asked not to be called for a while: they are not, whatever the call. (docs/spec/consent.md#delivery) */
import type { Services } from '../../call/services.js'
import { BoundedMap } from '../../security/bounded-map.js'
import { limitWait } from '../../time.js'

/** Maximum number of pauses. The least recently used are forgotten: their peers are asked once more. */
const maxPauses = 10_000

/** The URL of a peer's account, and the token for it. */
interface Target {
  readonly base: string
  readonly token: string
}

/** Keeps in memory until when peers are not to be called. */
export class PeerPauses {
  /** Times in seconds, by endpoint. */
  readonly #ends = new BoundedMap<string, number>(maxPauses)

  constructor(private readonly services: Pick<Services, 'clock' | 'config'>) {}

  /** Returns for how many more seconds a peer is not to be called; 0 if it may be called. */
  getLeft(endpoint: Target): number {
    const end = this.#ends.get(toKey(endpoint)) ?? 0
    const now = this.services.clock.now()
    return Math.max(0, limitWait(end, now, this.services.config.cmc.retryMaxDelayMs / 1000) - now)
  }

  /** Notes what a peer asks for by an answer: `Retry-After` of 429 and 503, up to the longest pause between two attempts. */
  note(
    endpoint: Target,
    { retryAfter = 0, status }: { readonly retryAfter?: number | undefined; readonly status: number }
  ): void {
    if (retryAfter <= 0 || !isPause(status)) return
    const { clock, config } = this.services
    const seconds = Math.min(retryAfter, config.cmc.retryMaxDelayMs / 1000)
    this.#ends.set(toKey(endpoint), clock.now() + seconds)
  }
}

/** Returns whether a status that comes with `Retry-After` is about the caller or the whole server. */
export function isPause(status: number): boolean {
  return status === 429 || status === 503
}

/** Who holds another token has limits of its own. */
function toKey({ base, token }: Target): string {
  return `${base} ${token}`
}
