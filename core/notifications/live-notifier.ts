/**
 * Notifies open sockets of changes. Each subscriber gets every change that its access may see, once, and is
 * disconnected as soon as that access ends. (docs/spec/notifications.md#connecting)
 */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { authenticate } from '../auth/authenticate.js'
import type { Account } from '../../storage/platform/account.js'
import { requireOpenAccount } from '../auth/open-account.js'
import type { Caller } from '../permissions/caller.js'
import type { Change, ChangeKind } from '../changes.js'
import { fail } from '../errors.js'
import type { Subscriber, Notifier } from '../call/dispatcher.js'
import { Hearer, messageOf } from '../permissions/visibility.js'
import { keysOf } from '../permissions/scopes.js'
import { isInForce, standingOf } from '../permissions/standing.js'
import { subscribing } from './subscriptions.js'
import type { Credentials } from '../call/credentials.js'
import { authorize } from '../call/authorization-step.js'
import type { Services } from '../call/services.js'
import { creatorOf } from '../permissions/access.js'
import type { AdmittedAccess, SubscribedAccess } from './subscribed-access.js'
import type { Steps } from '../../storage/steps.js'
import { Turns } from './turns.js'

interface Member extends SubscribedAccess {
  readonly subscriber: Subscriber
  cancelTimer: () => void
}

/** Changes that may have ended an access. */
const ending: ReadonlySet<ChangeKind> = new Set(['accesses', 'sessions', 'account'])

/** What subscribers hear who may have missed changes of any kind. */
export const missable = ['accessesChanged', 'streamsChanged', 'eventsChanged'] as const

export class LiveNotifier implements Notifier {
  readonly #members = new Map<string, Set<Member>>()
  readonly #work: Turns
  readonly #unsubscribe: () => void

  constructor(private readonly services: Services) {
    this.#work = new Turns(cause =>
      services.log.error('subscribers could not be notified of a change', { cause })
    )
    this.#unsubscribe = services.bus.subscribe((username, change) => this.#publish(username, change))
  }

  /**
   * Authenticates a subscriber. Errors as for any call: unknown user, invalid token, refusal by the operator's
   * authorization step.
   */
  async admit(username: string, credentials: Credentials): Promise<AdmittedAccess> {
    const { accounts, authorizationStep } = this.services
    const known = accounts.findServed(username)
    if (known) await accounts.waitUntilReady(known)
    const admission = this.lookUp(username, credentials)
    // Opening a socket counts as a call, since it costs at least as much.
    this.services.callLimit?.count(admission.account, admission.access)
    if (authorizationStep)
      await authorize(authorizationStep, admission.account, this.callerOf(admission), credentials)
    if (!this.#hasRoom(admission)) fail('too-many-requests', 'This user has too many open sockets')
    return admission
  }

  /** Looks up a subscriber that has been admitted before, without any further checks. */
  lookUp(username: string, credentials: Credentials): AdmittedAccess {
    const { accounts, clock } = this.services
    const account = requireOpenAccount(this.services, username, credentials)
    const store = accounts.store(account)
    const caller = store.read(() => authenticate(this.services, account, store, credentials, clock.now()))
    return { account, access: caller.access ?? fail('invalid-access-token'), credentials }
  }

  /**
   * Subscribes to changes. Returns `undefined` if the access has ended since it was admitted, or there is no room
   * left.
   */
  join(admission: AdmittedAccess, subscriber: Subscriber): SubscribedAccess | undefined {
    const { username } = admission.account
    const member: Member = {
      ...admission,
      subscriber,
      scopes: undefined,
      cancelTimer: () => {},
      leave: () => this.#remove(username, member),
      subscribing: (method, params) => subscribing(this.services, this, member, method, params)
    }
    if (this.#endOf(member) <= this.services.clock.now()) return undefined
    // Others may have joined while the authorization step was running.
    if (!this.#hasRoom(admission)) return undefined
    let members = this.#members.get(username)
    if (!members) this.#members.set(username, (members = new Set()))
    members.add(member)
    this.#watch(member)
    return member
  }

  /** Tells all subscribers of a user that anything may have changed, without looking at what each may see of it. */
  tellAll(username: string): void {
    for (const member of this.#members.get(username) ?? []) {
      if (this.#closeIfEnded(member)) continue
      const { scopes, subscriber } = member
      if (scopes) subscriber.notify('notificationsChanged', { keys: Object.keys(scopes) })
      else for (const message of missable) subscriber.notify(message)
    }
  }

  /** Returns the current caller of a subscriber. Errors: `invalid-access-token`. */
  callerOf({ account, credentials }: AdmittedAccess): Caller {
    const store = this.services.accounts.store(account)
    return store.read(() =>
      authenticate(this.services, account, store, credentials, this.services.clock.now())
    )
  }

  /** Removes all subscribers. */
  close(): void {
    this.#unsubscribe()
    this.#work.close()
    for (const members of this.#members.values()) for (const { cancelTimer } of members) cancelTimer()
    this.#members.clear()
  }

  /**
   * Whether the user may have another socket. A single shared or app access gets at most half of them, so that some
   * are left for the user.
   */
  #hasRoom({ access, account }: AdmittedAccess): boolean {
    const { maxPerUser } = this.services.config.sockets
    const members = this.#members.get(account.username)
    if (!members) return true
    if (access.type === 'personal') return members.size < maxPerUser
    let count = 0
    for (const member of members) if (member.access.id === access.id) count++
    return members.size < maxPerUser && count < Math.ceil(maxPerUser / 2)
  }

  #publish(username: string, change: Change): void {
    const members = this.#members.get(username)
    if (!members) return
    const message = messageOf(change)
    if (message !== undefined)
      for (const { account } of members) {
        this.#work.add(account.id, this.#notifications(members, change, message))
        this.#holdWrites(account)
        break
      }
    if (ending.has(change.kind)) this.#closeEnded(members, change)
  }

  /** Delays further writes while too many notifications are waiting, since these are kept in memory. */
  #holdWrites({ id, username }: Account): void {
    const eased = this.#work.eased(id)
    const account = eased && this.services.accounts.find(username)
    if (account) void this.services.accounts.store(account).holdWrites(() => eased)
  }

  /** Notifies one subscriber after the other. */
  *#notifications(members: ReadonlySet<Member>, change: Change, message: string): Steps<void> {
    // All sockets of an access get the same: a change in thousands of streams is evaluated only once for them.
    const hearers = new Map<string, Hearer | undefined>()
    // Anyone who joins later has already seen the change.
    const present = [...members]
    for (const member of present) {
      if (!members.has(member)) continue
      const { id } = member.access
      if (!hearers.has(id)) hearers.set(id, this.#hearerOf(member))
      const hearer = hearers.get(id)
      const { scopes, subscriber } = member
      const keys = hearer && scopes ? yield* keysOf(scopes, hearer, change) : []
      const isHeard = hearer && !scopes && (yield* hearer.hearing(change))
      // It may have left while the change was judged.
      if (isHeard && members.has(member)) subscriber.notify(message)
      if (keys.length > 0 && members.has(member)) subscriber.notify('notificationsChanged', { keys })
      yield
    }
  }

  /** Returns what the access may see now, unless its permissions have ended since it joined. */
  #hearerOf(member: Member): Hearer | undefined {
    const current = this.#orUndefined(member, () => this.#current(member))
    return current && isInForce(current.store, current.access, this.services.clock.now())
      ? new Hearer(current.store, current.access)
      : undefined
  }

  #closeEnded(members: ReadonlySet<Member>, { accessIds }: Change): void {
    const concerned = [...members].filter(
      ({ access }) =>
        accessIds.length === 0 || accessIds.includes(access.id) || accessIds.includes(creatorOf(access))
    )
    for (const member of concerned) this.#closeIfEnded(member)
  }

  #closeIfEnded(member: Member): boolean {
    if (!this.#hasEnded(member)) return false
    this.#remove(member.account.username, member)
    member.subscriber.close()
    return true
  }

  /** Checks again when the access is due to end, since it may have been prolonged by then. */
  #watch(member: Member): void {
    const end = this.#endOf(member)
    if (end === Infinity) return
    const { clock } = this.services
    member.cancelTimer = clock.after(end - clock.now(), () => {
      if (!this.#closeIfEnded(member)) this.#watch(member)
    })
  }

  #hasEnded(member: Member): boolean {
    const end = this.#orUndefined(member, () => this.#endOf(member))
    return end === undefined || end <= this.services.clock.now()
  }

  /** Returns `undefined` on errors: a subscriber that cannot be checked is not notified. */
  #orUndefined<T>(member: Member, look: () => T): T | undefined {
    try {
      return look()
    } catch (cause) {
      this.services.log.error('the access of a subscriber could not be looked up', {
        accountId: member.account.id,
        cause
      })
      return undefined
    }
  }

  /** Returns when the access ends, in seconds: infinite if it does not, 0 if it has been deleted or signed out. */
  #endOf(admission: AdmittedAccess): number {
    const { config } = this.services
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

  /** Returns the current state of the access; `undefined` if it has been deleted. */
  #current({ account, access }: AdmittedAccess): { store: UserStore; access: Access } | undefined {
    const { accounts } = this.services
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
