/** Clients connected to this node that hear of changes, wherever their users are served: they follow them from node to node. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Life } from '../../cluster/nodes/members.js'
import { toSentCredentials } from '../../core/account/older-ids.js'
import type { Credentials } from '../../core/call/credentials.js'
import type { Admission, Notifier, Subscriber, Subscription } from '../../core/call/dispatcher.js'
import { toApiError } from '../../core/call/outcome.js'
import { fail } from '../../core/errors.js'
import { catchUpMessages, type LiveNotifier } from '../../core/notifications/live-notifier.js'
import type { Accounts } from '../../storage/accounts.js'
import type { LocalCalls } from './local-calls.js'
import { elsewhere, type SubscriptionEvents } from './node-peers.js'
import type { Nodes } from './nodes.js'
import type { ShardOwnership } from './shard-ownership.js'

export interface FollowersOptions {
  readonly nodes: Pick<Nodes, 'asked' | 'services'>
  readonly calls: Pick<LocalCalls, 'read'>
  readonly feed: LiveNotifier
  readonly accounts: Pick<Accounts, 'find' | 'waitUntilReady'>
  readonly ownership: ShardOwnership
}

/** Time between two attempts to join again, in milliseconds. */
const retryMs = 250

export class Followers implements Notifier {
  readonly #followers = new Map<number, Follower>()
  #last = 0
  #isClosed = false
  /** What others tell of subscriptions that they have. */
  readonly events: SubscriptionEvents = {
    notify: (id, message, payload) => this.#followers.get(id)?.subscriber.notify(message, payload),
    unsubscribed: id => this.#followers.get(id)?.end(),
    lost: life => {
      for (const follower of this.#followers.values()) if (follower.isAt(life)) follower.again()
    }
  }

  constructor(private readonly options: FollowersOptions) {}

  async admit(username: string, credentials: Credentials): Promise<Admission> {
    const { calls, feed, nodes } = this.options
    const account = await nodes.asked(
      username,
      () => calls.read(username, async () => (await feed.admit(username, credentials)).account),
      peer => peer.ask('admit', username, toSentCredentials(nodes.services.config, credentials))
    )
    return { account, credentials }
  }

  async join({ account, credentials }: Admission, subscriber: Subscriber): Promise<Subscription | undefined> {
    const id = ++this.#last
    const follower = new Follower(this.options, id, account.username, credentials, subscriber, () =>
      this.#followers.delete(id)
    )
    this.#followers.set(id, follower)
    try {
      if (await follower.join()) return follower
      this.#followers.delete(id)
      return undefined
    } catch (error) {
      this.#followers.delete(id)
      throw error
    }
  }

  /** Somebody else serves a shard than before. */
  changed(shard: number): void {
    if (this.#isClosed) return
    const { ownership } = this.options
    for (const follower of this.#followers.values())
      if (ownership.getShard(follower.username) === shard) follower.again()
  }

  close(): void {
    this.#isClosed = true
    for (const follower of this.#followers.values()) follower.leave()
  }
}

/** A client, and its subscription at whoever serves its user. */
class Follower implements Subscription {
  #subscription: (Subscription & { readonly life: Life | undefined }) | undefined
  #scopes: object = {}
  #isJoining = false
  #isOver = false
  /** Whether it is to join again once it has joined. */
  #isStale = false

  constructor(
    private readonly options: FollowersOptions,
    private readonly id: number,
    readonly username: string,
    private readonly credentials: Credentials,
    readonly subscriber: Subscriber,
    private readonly forget: () => void
  ) {}

  isAt({ incarnation, node }: Life): boolean {
    const life = this.#subscription?.life
    return life?.node === node && life.incarnation === incarnation
  }

  async subscribing(method: string, params: unknown): Promise<object> {
    const subscription = this.#subscription ?? (this.#isOver ? fail('invalid-access-token') : undefined)
    if (!subscription) return fail('api-unavailable')
    const result = await subscription.subscribing(method, params)
    if (method === 'getSubscriptions') return result
    // To be the same wherever the user is served next.
    const { scopes } = (await subscription.subscribing('getSubscriptions', {})) as { scopes: object }
    this.#scopes = scopes
    return result
  }

  leave(): void {
    this.#isOver = true
    this.forget()
    this.#subscription?.leave()
    this.#subscription = undefined
  }

  /** The access has ended. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.forget()
    this.subscriber.close()
  }

  /** Joins at whoever serves the user. Returns whether the access still allows it. */
  async join(): Promise<boolean> {
    const { accounts, calls, feed, nodes, ownership } = this.options
    const { credentials, id, username } = this
    const here = async (): Promise<Subscription | undefined> => {
      const account = accounts.find(username)
      if (account) await accounts.waitUntilReady(account)
      return feed.join(feed.findAdmission(username, credentials), {
        notify: (message, payload) => this.subscriber.notify(message, payload),
        close: () => this.end()
      })
    }
    const subscription = await nodes.asked<(Subscription & { life: Life | undefined }) | undefined>(
      username,
      async () => {
        const joined = await calls.read(username, here)
        return joined && { ...bound(joined), life: undefined }
      },
      async peer => {
        const life = ownership.findOwner(username)
        const hasJoined = await peer.ask(
          'join',
          username,
          toSentCredentials(nodes.services.config, credentials),
          id
        )
        if ((hasJoined as unknown) === elsewhere) return elsewhere
        if (!hasJoined) return undefined
        return { life, ...peer.subscription(id) }
      }
    )
    if (this.#isOver) subscription?.leave()
    else this.#subscription = subscription
    return subscription !== undefined
  }

  /** Joins again, since somebody else serves the user now. */
  again(): void {
    this.#isStale = true
    if (this.#isJoining || this.#isOver) return
    this.#isJoining = true
    void this.#rejoin().finally(() => (this.#isJoining = false))
  }

  async #rejoin(): Promise<void> {
    while (this.#isStale && !this.#isOver) {
      this.#isStale = false
      this.#subscription?.leave()
      this.#subscription = undefined
      try {
        if (!(await this.join())) return this.end()
        await this.#subscribeAgain()
      } catch (error) {
        if (toApiError(error).status < 500) return this.end()
        this.#isStale = true
        await wait(retryMs, undefined, { ref: false })
      }
    }
    this.#tellMissed()
  }

  async #subscribeAgain(): Promise<void> {
    if (Object.keys(this.#scopes).length > 0)
      await this.#subscription?.subscribing('subscribe', { scopes: this.#scopes })
  }

  #tellMissed(): void {
    if (this.#isOver) return
    const keys = Object.keys(this.#scopes)
    if (keys.length > 0) this.subscriber.notify('notificationsChanged', { keys })
    else for (const message of catchUpMessages) this.subscriber.notify(message)
  }
}

/** A subscription whose functions need no `this`. */
function bound(subscription: Subscription): Subscription {
  return {
    subscribing: (method, params) => subscription.subscribing(method, params),
    leave: () => subscription.leave()
  }
}
