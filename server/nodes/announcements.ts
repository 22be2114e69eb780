/** What nodes announce to each other, beside who serves which shard: failed sign-ins, and accounts that have changed. */
import type { Engine } from '../../cluster/engine.js'
import { SharedThrottle, type ThrottleEvent } from '../../core/security/shared-throttle.js'
import type { Services } from '../../core/call/services.js'

/** Something to be known everywhere. */
export interface Announced {
  readonly note?: ThrottleEvent
  /** The account of this user has changed: what is remembered of it is no longer true. */
  readonly forget?: string
}

const topic = 'nodes'

export class Announcements {
  constructor(
    private readonly engine: Pick<Engine, 'announce' | 'subscribe'>,
    private readonly node: string,
    private readonly services: Pick<Services, 'accounts' | 'bus' | 'throttle'>
  ) {}

  /** Hears what others announce, until the function it returns is called, and tells of accounts that change here. */
  begin(): () => void {
    this.services.bus.subscribe((username, { kind }) => {
      if (kind === 'account') this.tell({ forget: username })
    })
    return this.engine.subscribe(topic, message => this.#hear(message))
  }

  tell(announced: Announced): void {
    this.engine.announce(topic, Buffer.from(JSON.stringify({ ...announced, from: this.node })))
  }

  #hear(message: Uint8Array): void {
    const { accounts, throttle } = this.services
    const { forget, from, note } = announcedIn(message)
    if (from === this.node) return
    if (forget !== undefined) accounts.uncache(forget)
    if (note && throttle instanceof SharedThrottle) throttle.receive(note)
  }
}

/** What has been announced; nothing if other software has sent it. */
function announcedIn(message: Uint8Array): Announced & { readonly from?: string } {
  try {
    return (JSON.parse(Buffer.from(message).toString()) as Announced | null) ?? {}
  } catch {
    return {}
  }
}
