/**
 * Notifies open sockets of changes. Each subscriber gets every change that its access may see, once, and is
 * disconnected as soon as that access ends. (docs/spec/notifications.md#connecting)
 */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { authenticate, requireOpenAccount } from '../auth/authenticate.js'
import { isClientRevoked } from '../auth/oauth-marks.js'
import type { Account } from '../../storage/platform/account.js'
import { Caller } from '../permissions/caller.js'
import type { Change, ChangeKind } from '../changes.js'
import { fail } from '../errors.js'
import type { Subscriber, Notifier, AdmittedAccess, SubscribedAccess } from '../call/dispatcher.js'
import { ChangeRecipient, getMessage, listUpdates, mayNarrow } from '../permissions/change-recipient.js'
import { isWithinShare } from './account-shares.js'
import { findMatchingKeys } from './matching-scopes.js'
import { isInForce, getEffectiveGrants } from '../permissions/effective-grants.js'
import { runSubscriptionMethod, updateScopes } from './subscriptions.js'
import type { Credentials } from '../call/credentials.js'
import { runAuthorizationStep } from '../call/authorization-step.js'
import type { Services } from '../call/services.js'
import { getCreatorId } from '../permissions/access.js'
import type { Steps } from '../../storage/steps.js'
import { SlicedWorkQueue } from './sliced-work-queue.js'

interface Member extends SubscribedAccess {
  readonly subscriber: Subscriber
  cancelTimer: () => void
}

/** Changes that may have ended an access. */
const endingKinds: ReadonlySet<ChangeKind> = new Set(['accesses', 'sessions', 'account'])

/** Messages for subscribers that may have missed changes of any kind. */
export const catchUpMessages = ['accessesChanged', 'streamsChanged', 'eventsChanged'] as const

/** Notifies the sockets that are open in this process. */
export class LiveNotifier implements Notifier {
  /** By account id: subscribers may know their account by different names. */
  readonly #members = new Map<string, Set<Member>>()
  readonly #queue: SlicedWorkQueue
  readonly #unsubscribe: () => void
  readonly #unfollow: () => void

  constructor(private readonly services: Services) {
    this.#queue = new SlicedWorkQueue(cause =>
      services.log.error('subscribers could not be notified of a change', { cause })
    )
    this.#unsubscribe = services.bus.subscribe(({ id }, change) => this.#publish(id, change))
    this.#unfollow = services.platform.onChange(command => {
      if (command?.[0] !== 'revokeClient') return
      for (const members of this.#members.values()) for (const member of members) this.#closeIfEnded(member)
    })
  }

  /**
   * Authenticates a subscriber, and counts it as a call. Errors as for any call: unknown user, invalid token, refusal by the
   * operator's authorization step; `too-many-requests` for too many open sockets.
   */
  async admit(username: string, credentials: Credentials): Promise<AdmittedAccess> {
    const { accounts, authorizationStep } = this.services
    const known = accounts.findServed(username)
    if (known) await accounts.waitUntilReady(known)
    const admission = this.findAdmission(username, credentials)
    // Opening a socket counts as a call, since it costs at least as much.
    this.services.callLimit?.count(admission.account, admission.access)
    if (authorizationStep)
      await runAuthorizationStep(authorizationStep, admission.account, this.getCaller(admission), credentials)
    if (!this.#hasRoom(admission)) fail('too-many-requests', 'This user has too many open sockets')
    return admission
  }

  /** Looks up a subscriber that was admitted before, without counting. Throws as any call does if user or token is invalid. */
  findAdmission(username: string, credentials: Credentials): AdmittedAccess {
    const { accounts, clock } = this.services
    const account = requireOpenAccount(this.services, username, credentials)
    const store = accounts.openStore(account)
    const caller = store.read(() =>
      authenticate({ services: this.services, account, store, credentials, now: clock.now() })
    )
    return { account, access: caller.access ?? fail('invalid-access-token'), credentials }
  }

  /**
   * Subscribes to changes. Returns `undefined` if the access has ended since it was admitted, or there is no room left
   * for another subscriber.
   */
  join(admission: AdmittedAccess, subscriber: Subscriber): SubscribedAccess | undefined {
    const { id } = admission.account
    const member: Member = {
      ...admission,
      subscriber,
      scopes: undefined,
      scopesLength: 0,
      cancelTimer: () => {},
      unsubscribe: () => this.#remove(id, member),
      runMethod: (method, params) =>
        runSubscriptionMethod(
          { services: this.services, callers: this, subscriber: member, all: this.#members.get(id) ?? [] },
          method,
          params
        )
    }
    if (this.#endOf(member) <= this.services.clock.now()) return undefined
    // Others may have joined while the authorization step was running.
    if (!this.#hasRoom(admission)) return undefined
    let members = this.#members.get(id)
    if (!members) this.#members.set(id, (members = new Set()))
    members.add(member)
    this.#watch(member)
    return member
  }

  /** Notifies all subscribers of an account that anything may have changed, whatever each may see; closes those whose access has ended. */
  notifyAll(id: string): void {
    for (const member of this.#members.get(id) ?? []) {
      if (this.#closeIfEnded(member)) continue
      const { scopes, subscriber } = member
      if (scopes) subscriber.notify('notificationsChanged', { keys: Object.keys(scopes) })
      else for (const message of catchUpMessages) subscriber.notify(message)
    }
  }

  /** Returns the current caller of a subscriber. Errors: `invalid-access-token`. */
  getCaller({ account, credentials }: AdmittedAccess): Caller {
    const store = this.services.accounts.openStore(account)
    return store.read(() =>
      authenticate({ services: this.services, account, store, credentials, now: this.services.clock.now() })
    )
  }

  /** Removes all subscribers, without disconnecting them. */
  close(): void {
    this.#unsubscribe()
    this.#unfollow()
    this.#queue.close()
    for (const members of this.#members.values()) for (const { cancelTimer } of members) cancelTimer()
    this.#members.clear()
  }

  /** Returns whether the access may have another socket. */
  #hasRoom({ access, account }: AdmittedAccess): boolean {
    const members = this.#members.get(account.id) ?? []
    const inUse = Array.from(members, member => [member.access.id, 1] as const)
    return isWithinShare(access, 1, inUse, this.services.config.sockets.maxPerUser)
  }

  /** Queues the notifications of a change, and closes subscribers whose access it has ended. */
  #publish(id: string, change: Change): void {
    const members = this.#members.get(id)
    if (!members) return
    const message = getMessage(change)
    if (message !== undefined)
      for (const { account } of members) {
        this.#queue.add(account.id, this.#notifications(members, change, message))
        // After the other changes of the call, which still concern what was lost.
        if (change.kind !== 'events')
          queueMicrotask(() => this.#queue.add(account.id, this.#cutScopes(members, change)))
        this.#delayWrites(account)
        break
      }
    if (endingKinds.has(change.kind)) this.#closeEnded(members, change)
  }

  /** Holds further writes of an account until fewer of its notifications are waiting: these are kept in memory. */
  #delayWrites({ id, username }: Account): void {
    const room = this.#queue.waitForRoom(id)
    const account = room && this.services.accounts.find(username)
    if (account) void this.services.accounts.openStore(account).holdWrites(() => room)
  }

  /** Notifies one subscriber after the other. */
  *#notifications(members: ReadonlySet<Member>, change: Change, message: string): Steps<void> {
    // All sockets of an access get the same: a change in thousands of streams is evaluated only once for them.
    const recipients = new Map<string, ChangeRecipient | undefined>()
    // Subscribers that join later have already seen the change.
    const present = [...members]
    for (const member of present) {
      if (!members.has(member)) continue
      const { id } = member.access
      if (!recipients.has(id)) recipients.set(id, this.#getRecipient(member))
      const recipient = recipients.get(id)
      const { scopes, subscriber } = member
      const keys = recipient && scopes ? yield* findMatchingKeys(scopes, recipient, change) : []
      const mayNotify = recipient && !scopes && (yield* recipient.mayReceive(change))
      // The member may have left while the change was evaluated.
      if (mayNotify && members.has(member)) subscriber.notify(message)
      if (keys.length > 0 && members.has(member)) subscriber.notify('notificationsChanged', { keys })
      if (recipient && members.has(member))
        for (const update of listUpdates(change, member.access)) subscriber.notify('accessUpdated', update)
      yield
    }
  }

  /** Cuts the scopes of subscribers to what they may still read, if the change may have narrowed that. */
  *#cutScopes(members: ReadonlySet<Member>, change: Change): Steps<void> {
    for (const member of members) {
      if (!member.scopes) continue
      const current = this.#tryOrUndefined(member, () => this.#findCurrent(member))
      if (!current || !(yield* mayNarrow(change, current))) continue
      // The subscriber is not authenticated again, since that would count as a use of its session.
      updateScopes(this.services, new Caller(current.store, current.access), member)
      yield
    }
  }

  /**
   * Returns the access as a recipient of changes, as its permissions are now; `undefined` if it has ended since it
   * joined.
   */
  #getRecipient(member: Member): ChangeRecipient | undefined {
    const current = this.#tryOrUndefined(member, () => this.#findCurrent(member))
    return current &&
      isInForce(current.store, current.access, this.services.clock.now()) &&
      !isClientRevoked(this.services, current.store, current.access)
      ? new ChangeRecipient(current.store, current.access)
      : undefined
  }

  #closeEnded(members: ReadonlySet<Member>, { accessIds }: Change): void {
    const concerned = [...members].filter(
      ({ access }) =>
        accessIds.length === 0 || accessIds.includes(access.id) || accessIds.includes(getCreatorId(access))
    )
    // Accesses that have not ended may end earlier or later now.
    for (const member of concerned) if (!this.#closeIfEnded(member)) this.#watch(member)
  }

  #closeIfEnded(member: Member): boolean {
    if (!this.#hasEnded(member)) return false
    this.#remove(member.account.id, member)
    member.subscriber.close()
    return true
  }

  /** Checks again when the access is due to end, since the access may have been prolonged by then. */
  #watch(member: Member): void {
    member.cancelTimer()
    const end = this.#endOf(member)
    if (end === Infinity) return
    const { clock } = this.services
    member.cancelTimer = clock.after(end - clock.now(), () => {
      if (!this.#closeIfEnded(member)) this.#watch(member)
    })
  }

  #hasEnded(member: Member): boolean {
    const end = this.#tryOrUndefined(member, () => this.#endOf(member))
    return end === undefined || end <= this.services.clock.now()
  }

  /** Returns `undefined` on errors: a subscriber that cannot be checked is not notified. */
  #tryOrUndefined<T>(member: Member, look: () => T): T | undefined {
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

  /**
   * Returns when the access ends, in seconds: `Infinity` if the access never ends, 0 if it has been deleted or signed
   * out.
   */
  #endOf(admission: AdmittedAccess): number {
    const { config } = this.services
    const current = this.#findCurrent(admission)
    if (!current) return 0
    const { access, store } = current
    return store.read(() => {
      if (isClientRevoked(this.services, store, access)) return 0
      const { ends } = getEffectiveGrants(store, access)
      if (access.type !== 'personal') return ends
      const used = store.sessions.lastUse(access.id)
      return used === undefined ? 0 : Math.min(ends, used + config.auth.sessionMaxAge)
    })
  }

  /** Returns the current state of the access; `undefined` if it has been deleted. */
  #findCurrent({ account, access }: AdmittedAccess): { store: UserStore; access: Access } | undefined {
    const { accounts } = this.services
    if (accounts.find(account.username)?.id !== account.id) return undefined
    const store = accounts.openStore(account)
    const current = store.read(() => store.accesses.findByToken(access.token))
    return current?.id === access.id ? { store, access: current } : undefined
  }

  #remove(id: string, member: Member): void {
    member.cancelTimer()
    const members = this.#members.get(id)
    members?.delete(member)
    if (members?.size === 0) this.#members.delete(id)
  }
}
