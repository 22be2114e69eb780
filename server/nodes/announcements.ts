/** What nodes announce to each other, apart from which shards they serve: failed sign-ins, and changes of accounts. */
import type { Engine } from '../../cluster/engine.js'
import { SharedThrottle, type ThrottleEvent } from '../../core/security/shared-throttle.js'
import type { Services } from '../../core/call/services.js'

/** A message to all nodes. */
interface Announcement {
  readonly note?: ThrottleEvent
  /** Name of a user whose account has changed, so that cached data of it is invalid. */
  readonly forget?: string
}

const topic = 'nodes'

export class Announcements {
  constructor(
    private readonly engine: Pick<Engine, 'announce' | 'subscribe'>,
    private readonly node: string,
    private readonly services: Pick<Services, 'accounts' | 'bus' | 'throttle'>
  ) {}

  /** Receives announcements of other nodes until the returned function is called, and announces accounts that change here. */
  start(): () => void {
    this.services.bus.subscribe(({ username }, { kind }) => {
      if (kind === 'account') this.announce({ forget: username })
    })
    return this.engine.subscribe(topic, message => this.#receive(message))
  }

  /** Sends an announcement to the other nodes. */
  announce(announced: Announcement): void {
    this.engine.announce(topic, Buffer.from(JSON.stringify({ ...announced, from: this.node })))
  }

  #receive(message: Uint8Array): void {
    const { accounts, throttle } = this.services
    const { forget, from, note } = parseAnnouncement(message)
    if (from === this.node) return
    if (forget !== undefined) accounts.uncache(forget)
    if (note && throttle instanceof SharedThrottle) throttle.receive(note)
  }
}

/** Parses an announcement; an empty announcement if it is malformed. */
function parseAnnouncement(message: Uint8Array): Announcement & { readonly from?: string } {
  try {
    return (JSON.parse(Buffer.from(message).toString()) as Announcement | null) ?? {}
  } catch {
    return {}
  }
}
