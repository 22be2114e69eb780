/** Notifies clients of this node of changes, wherever their users are served. Subscriptions follow a user from node to node. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Life } from '../../cluster/nodes/members.js'
import { toSentCredentials } from '../../core/account/older-ids.js'
import type { Credentials } from '../../core/call/credentials.js'
import type { AuthenticatedUser, Notifier, Subscriber, Subscription } from '../../core/call/dispatcher.js'
import { toApiError } from '../../core/call/outcome.js'
import { fail } from '../../core/errors.js'
import { catchUpMessages, type LiveNotifier } from '../../core/notifications/live-notifier.js'
import { readMethod, restoreMethod } from '../../core/notifications/subscriptions.js'
import type { Accounts } from '../../storage/accounts.js'
import type { LocalCalls } from './local-calls.js'
import { servedElsewhere, type SubscriptionEvents } from './node-peers.js'
import type { ClusterDispatcher } from './cluster-dispatcher.js'
import type { ShardOwnership } from './shard-ownership.js'

interface ClusterNotifierOptions {
  readonly dispatcher: Pick<ClusterDispatcher, 'runWhereServed' | 'services'>
  readonly calls: Pick<LocalCalls, 'read'>
  readonly feed: LiveNotifier
  readonly accounts: Pick<Accounts, 'find' | 'waitUntilReady'>
  readonly ownership: ShardOwnership
}

/** Time between two attempts to rejoin, in milliseconds. */
const retryMs = 250

export class ClusterNotifier implements Notifier {
  readonly #subscriptions = new Map<number, RoutedSubscription>()
  #lastId = 0
  #isClosed = false
  /** Handlers for events of subscriptions at other nodes. */
  readonly events: SubscriptionEvents = {
    notify: (id, message, payload) => this.#subscriptions.get(id)?.subscriber.notify(message, payload),
    unsubscribed: id => this.#subscriptions.get(id)?.end(),
    onNodeLost: life => {
      for (const routed of this.#subscriptions.values()) if (routed.isAt(life)) routed.rejoin()
    }
  }

  constructor(private readonly options: ClusterNotifierOptions) {}

  /** Authenticates at the node that serves the user. Rejects also with `api-unavailable` if none is found. */
  async admit(username: string, credentials: Credentials): Promise<AuthenticatedUser> {
    const { calls, feed, dispatcher } = this.options
    const account = await dispatcher.runWhereServed(
      username,
      () => calls.read(username, async () => (await feed.admit(username, credentials)).account),
      peer => peer.request('admit', username, toSentCredentials(dispatcher.services.config, credentials))
    )
    return { account, credentials }
  }

  /**
   * Joins at the node that serves the user. The subscription is joined again if another node takes the user
   * over.
   */
  async join(
    { account, credentials }: AuthenticatedUser,
    subscriber: Subscriber
  ): Promise<Subscription | undefined> {
    const id = ++this.#lastId
    const routed = new RoutedSubscription(this.options, id, account.username, credentials, subscriber, () =>
      this.#subscriptions.delete(id)
    )
    this.#subscriptions.set(id, routed)
    try {
      if (await routed.start()) return routed
      this.#subscriptions.delete(id)
      return undefined
    } catch (error) {
      this.#subscriptions.delete(id)
      throw error
    }
  }

  /** Rejoins the subscriptions to users of a shard whose node has changed. */
  onOwnerChange(shard: number): void {
    if (this.#isClosed) return
    const { ownership } = this.options
    for (const routed of this.#subscriptions.values())
      if (ownership.getShard(routed.username) === shard) routed.rejoin()
  }

  /** Ends all subscriptions, which closes their subscribers, and starts no more. */
  close(): void {
    this.#isClosed = true
    for (const routed of this.#subscriptions.values()) routed.unsubscribe()
  }
}

/** The subscription of a client, at the node that serves its user. */
class RoutedSubscription implements Subscription {
  #subscription: (Subscription & { readonly life: Life | undefined }) | undefined
  #scopes: object = {}
  #isJoining = false
  #hasEnded = false
  /** True if the node has changed since it began to join. */
  #needsRejoin = false

  constructor(
    private readonly options: ClusterNotifierOptions,
    private readonly id: number,
    readonly username: string,
    private readonly credentials: Credentials,
    readonly subscriber: Subscriber,
    private readonly forget: () => void
  ) {}

  /** Returns whether the subscription is at this life of a node. */
  isAt({ incarnation, node }: Life): boolean {
    const life = this.#subscription?.life
    return life?.node === node && life.incarnation === incarnation
  }

  async runMethod(method: string, params: unknown): Promise<object> {
    const subscription = this.#subscription ?? (this.#hasEnded ? fail('invalid-access-token') : undefined)
    if (!subscription) return fail('api-unavailable')
    const result = await subscription.runMethod(method, params)
    if (method === 'getSubscriptions') return result
    // The scopes are restored at the node that serves the user next.
    const { scopes } = (await subscription.runMethod(readMethod, {})) as { scopes: object }
    // That may have been done already, with the former scopes.
    if (this.#subscription !== subscription) return fail('api-unavailable')
    this.#scopes = scopes
    return result
  }

  unsubscribe(): void {
    this.#hasEnded = true
    this.forget()
    this.#subscription?.unsubscribe()
    this.#subscription = undefined
  }

  /** Closes the subscription, because its access has ended. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.forget()
    this.subscriber.close()
  }

  /** Joins for the first time. Resolves with whether the access still allows that. */
  async start(): Promise<boolean> {
    this.#isJoining = true
    const hasJoined = await this.#join()
    this.#isJoining = false
    if (this.#needsRejoin && hasJoined) this.rejoin()
    return hasJoined
  }

  /** Joins at the node that serves the user. Resolves with whether the access still allows that. */
  async #join(): Promise<boolean> {
    const { accounts, calls, feed, dispatcher, ownership } = this.options
    const { credentials, id, username } = this
    const joinHere = async (): Promise<Subscription | undefined> => {
      const account = accounts.find(username)
      if (account) await accounts.waitUntilReady(account)
      return feed.join(feed.findAdmission(username, credentials), {
        notify: (message, payload) => this.subscriber.notify(message, payload),
        close: () => this.end()
      })
    }
    const subscription = await dispatcher.runWhereServed<
      (Subscription & { life: Life | undefined }) | undefined
    >(
      username,
      async () => {
        let joined: Subscription | undefined
        try {
          await calls.read(username, async () => (joined = await joinHere()))
        } catch (error) {
          // This node may have joined, and then not have been certain to serve the user.
          joined?.unsubscribe()
          throw error
        }
        return joined && { ...bindMethods(joined), life: undefined }
      },
      async peer => {
        const life = ownership.findOwner(username)
        const hasJoined = await peer.request(
          'join',
          username,
          toSentCredentials(dispatcher.services.config, credentials),
          id
        )
        if ((hasJoined as unknown) === servedElsewhere) return servedElsewhere
        if (!hasJoined) return undefined
        return { life, ...peer.getSubscription(id) }
      }
    )
    if (this.#hasEnded) subscription?.unsubscribe()
    else this.#subscription = subscription
    return subscription !== undefined
  }

  /** Joins again, because another node serves the user now. */
  rejoin(): void {
    this.#needsRejoin = true
    if (this.#isJoining || this.#hasEnded) return
    this.#isJoining = true
    void this.#rejoin()
  }

  /** Joins again until that succeeds, and restores the scopes. Ends the subscription if it is refused. */
  async #rejoin(): Promise<void> {
    while (this.#needsRejoin && !this.#hasEnded) {
      this.#needsRejoin = false
      this.#subscription?.unsubscribe()
      this.#subscription = undefined
      try {
        if (!(await this.#join())) return this.end()
        await this.#restoreScopes()
      } catch (error) {
        if (toApiError(error).status < 500) return this.end()
        this.#needsRejoin = true
        await wait(retryMs, undefined, { ref: false })
      }
    }
    this.#isJoining = false
    this.#notifyMissed()
  }

  async #restoreScopes(): Promise<void> {
    if (Object.keys(this.#scopes).length > 0)
      await this.#subscription?.runMethod(restoreMethod, { scopes: this.#scopes })
  }

  #notifyMissed(): void {
    if (this.#hasEnded) return
    const keys = Object.keys(this.#scopes)
    if (keys.length > 0) this.subscriber.notify('notificationsChanged', { keys })
    else for (const message of catchUpMessages) this.subscriber.notify(message)
  }
}

/** Returns a subscription whose functions need no `this`. */
function bindMethods(subscription: Subscription): Subscription {
  return {
    runMethod: (method, params) => subscription.runMethod(method, params),
    unsubscribe: () => subscription.unsubscribe()
  }
}
