/**
 * Those who listen at this moment: whoever may hear of a change is told, once, and is cut off as soon as its access ends.
 * (docs/spec/notifications.md#connecting)
 */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { authenticate } from '../auth/authenticate.js'
import type { Caller } from '../permissions/caller.js'
import type { Change, ChangeKind } from '../changes.js'
import { fail } from '../errors.js'
import type { Subscriber, Notifier } from '../call/dispatcher.js'
import { Hearer, messageOf } from '../permissions/visibility.js'
import { keysOf } from '../permissions/scopes.js'
import { isInForce, standingOf } from '../permissions/standing.js'
import { subscribing } from './subscriptions.js'
import { unknownUser } from '../unknown-user.js'
import type { Credentials } from '../call/credentials.js'
import { authorize } from '../call/authorization-step.js'
import type { Services } from '../call/services.js'
import { creatorOf } from '../permissions/access.js'
import type { AdmittedAccess, SubscribedAccess } from './subscribed-access.js'
import type { Steps } from '../../storage/steps.js'
import { Turns } from './turns.js'

interface Member extends SubscribedAccess {
  readonly ear: Subscriber
  cancelTimer: () => void
}

/** Changes after which an access may have ended. */
const ending: ReadonlySet<ChangeKind> = new Set(['accesses', 'sessions', 'account'])

export class LiveNotifier implements Notifier {
  readonly #members = new Map<string, Set<Member>>()
  readonly #turns: Turns
  readonly #unsubscribe: () => void

  constructor(private readonly core: Services) {
    this.#turns = new Turns(cause => core.log.error('a change could not be told', { cause }))
    this.#unsubscribe = core.bus.subscribe((username, change) => this.#tell(username, change))
  }

  /** Looks at a user's name and a token. Errors as for any call: unknown user, bad token, the operator's own step. */
  async admit(username: string, credentials: Credentials): Promise<AdmittedAccess> {
    const { authorizationStep } = this.core
    const admission = this.lookUp(username, credentials)
    // To open a socket costs as much as a call, and more.
    this.core.callLimit?.count(admission.account, admission.access)
    if (authorizationStep)
      await authorize(authorizationStep, admission.account, this.callerOf(admission), credentials)
    if (!this.#hasRoom(admission)) fail('too-many-requests', 'This user has too many open sockets')
    return admission
  }

  /** As {@link admit}, for somebody who has been admitted before: only who it is. */
  lookUp(username: string, credentials: Credentials): AdmittedAccess {
    const { accounts, clock } = this.core
    const account = accounts.find(username) ?? unknownUser(accounts, username)
    const store = accounts.store(account)
    const caller = store.read(() => authenticate(this.core, account, store, credentials, clock.now()))
    return { account, access: caller.access ?? fail('invalid-access-token'), credentials }
  }

  /** Begins to tell of changes; `undefined` if the access has ended since it was admitted, or there is no room left. */
  join(admission: AdmittedAccess, ear: Subscriber): SubscribedAccess | undefined {
    const { username } = admission.account
    const member: Member = {
      ...admission,
      ear,
      scopes: undefined,
      cancelTimer: () => {},
      leave: () => this.#remove(username, member),
      subscribing: (method, params) => subscribing(this.core, this, member, method, params)
    }
    if (this.#endOf(member) <= this.core.clock.now()) return undefined
    // While the operator's own step took its time, others may have come.
    if (!this.#hasRoom(admission)) return undefined
    let members = this.#members.get(username)
    if (!members) this.#members.set(username, (members = new Set()))
    members.add(member)
    this.#watch(member)
    return member
  }

  /** The caller behind a listener, as things stand now. Errors: `invalid-access-token`. */
  callerOf({ account, credentials }: AdmittedAccess): Caller {
    const store = this.core.accounts.store(account)
    return store.read(() => authenticate(this.core, account, store, credentials, this.core.clock.now()))
  }

  /** Stops telling. */
  close(): void {
    this.#unsubscribe()
    this.#turns.close()
    for (const members of this.#members.values()) for (const { cancelTimer } of members) cancelTimer()
    this.#members.clear()
  }

  /** Whether there may be another socket of the user. Who was given an access may take half of them, so that some are left. */
  #hasRoom({ access, account }: AdmittedAccess): boolean {
    const { maxPerUser } = this.core.config.sockets
    const members = this.#members.get(account.username)
    if (!members) return true
    if (access.type === 'personal') return members.size < maxPerUser
    let count = 0
    for (const member of members) if (member.access.id === access.id) count++
    return members.size < maxPerUser && count < Math.ceil(maxPerUser / 2)
  }

  #tell(username: string, change: Change): void {
    const members = this.#members.get(username)
    if (!members) return
    const message = messageOf(change)
    if (message !== undefined) this.#turns.add(username, this.#telling(members, change, message))
    if (ending.has(change.kind)) this.#cutEnded(members, change)
  }

  /** Tells one after the other. */
  *#telling(members: ReadonlySet<Member>, change: Change, message: string): Steps<void> {
    // Sockets of one access hear the same: a change in thousands of streams is judged once for all of them.
    const hearers = new Map<string, Hearer | undefined>()
    // Who joins meanwhile has seen the change already.
    const present = [...members]
    for (const member of present) {
      if (!members.has(member)) continue
      const { id } = member.access
      if (!hearers.has(id)) hearers.set(id, this.#hearerOf(member))
      this.#tellOne(member, change, message, hearers.get(id))
      yield
    }
  }

  #tellOne({ ear, scopes }: Member, change: Change, message: string, hearer: Hearer | undefined): void {
    if (!hearer) return
    if (!scopes) {
      if (hearer.mayHear(change)) ear.notify(message)
      return
    }
    const keys = keysOf(scopes, hearer, change)
    if (keys.length > 0) ear.notify('notificationsChanged', { keys })
  }

  /** The listener as things stand: what it was granted may have ended since it joined. */
  #hearerOf(member: Member): Hearer | undefined {
    const current = this.#lookedUp(member, () => this.#current(member))
    return current && isInForce(current.store, current.access, this.core.clock.now())
      ? new Hearer(current.store, current.access)
      : undefined
  }

  #cutEnded(members: ReadonlySet<Member>, { accessIds }: Change): void {
    const concerned = [...members].filter(
      ({ access }) =>
        accessIds.length === 0 || accessIds.includes(access.id) || accessIds.includes(creatorOf(access))
    )
    for (const member of concerned) this.#cutIfEnded(member)
  }

  #cutIfEnded(member: Member): boolean {
    if (!this.#hasEnded(member)) return false
    this.#remove(member.account.username, member)
    member.ear.close()
    return true
  }

  /** Comes back when the access will have ended, unless it has been prolonged by then. */
  #watch(member: Member): void {
    const end = this.#endOf(member)
    if (end === Infinity) return
    const { clock } = this.core
    member.cancelTimer = clock.after(end - clock.now(), () => {
      if (!this.#cutIfEnded(member)) this.#watch(member)
    })
  }

  #hasEnded(member: Member): boolean {
    const end = this.#lookedUp(member, () => this.#endOf(member))
    return end === undefined || end <= this.core.clock.now()
  }

  /** Who cannot be looked up is told nothing more. */
  #lookedUp<T>(member: Member, look: () => T): T | undefined {
    try {
      return look()
    } catch (cause) {
      this.core.log.error('a listener could not be looked up', { accountId: member.account.id, cause })
      return undefined
    }
  }

  /** When the access ends (seconds): infinite if it does not, 0 if it has been deleted or signed out. */
  #endOf(admission: AdmittedAccess): number {
    const { config } = this.core
    const current = this.#current(admission)
    if (!current) return 0
    const { access, store } = current
    return store.read(() => {
      const { until } = standingOf(store, access)
      if (access.type !== 'personal') return until
      const used = store.sessions.lastUse(access.id)
      return used === undefined ? 0 : Math.min(until, used + config.auth.sessionMaxAge)
    })
  }

  /** The access as it is now; `undefined` if it is gone. */
  #current({ account, access }: AdmittedAccess): { store: UserStore; access: Access } | undefined {
    const { accounts } = this.core
    if (accounts.find(account.username)?.id !== account.id) return undefined
    const store = accounts.store(account)
    const current = store.read(() => store.accesses.findByToken(access.token))
    return current?.id === access.id ? { store, access: current } : undefined
  }

  #remove(username: string, member: Member): void {
    member.cancelTimer()
    const members = this.#members.get(username)
    members?.delete(member)
    if (members?.size === 0) this.#members.delete(username)
  }
}
