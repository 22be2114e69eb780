/** How many mails of a kind an account may cause in an hour: nobody's mailbox is to be filled, whoever asks. */
import type { UserStore } from '../../../storage/user/user-store.js'

/**
 * What is counted: links that set a new password, links that confirm an address, words to the former address: of what an app
 * has set, and of what counts from then on, so that no app keeps the latter from being told.
 */
export type CountedMessage = 'reset' | 'confirmation' | 'notice' | 'change'

interface Counted {
  readonly count: number
  /** Seconds. */
  readonly endsAt: number
}

const most = 5
const hour = 3600

/** Takes one of the mails that may still leave; `false` if there is none. Only within a write. */
export function takeMessage(store: UserStore, kind: CountedMessage, now: number): boolean {
  const { count, endsAt } = counted(store, kind, now)
  if (count >= most) return false
  store.signIn.setState(nameOf(kind), { count: count + 1, endsAt })
  return true
}

/** Seconds until a mail of the kind may leave again; 0 if one may now. */
export function messageWait(store: UserStore, kind: CountedMessage, now: number): number {
  const { count, endsAt } = counted(store, kind, now)
  return count < most ? 0 : Math.ceil(endsAt - now)
}

/** Forgets the mails of a kind, once one of them has done its work. Only within a write. */
export function forgetMessages(store: UserStore, kind: CountedMessage): void {
  store.signIn.removeState(nameOf(kind))
}

function counted(store: UserStore, kind: CountedMessage, now: number): Counted {
  const known = store.signIn.state(nameOf(kind)) as Counted | undefined
  return known && known.endsAt > now ? known : { count: 0, endsAt: now + hour }
}

function nameOf(kind: CountedMessage): string {
  return `letters-${kind}`
}
