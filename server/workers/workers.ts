/** Dispatches calls to worker threads, each of which owns the files of some users. */
import { ApiError, fail } from '../../core/errors.js'
import type { Gauges, Readiness } from '../service-state.js'
import type {
  PrecheckResult,
  AuthenticatedUser,
  Subscriber,
  Notifier,
  Dispatcher,
  SharedServices,
  Subscription
} from '../../core/call/dispatcher.js'
import type { AnyMethod } from '../../core/call/method.js'
import { toSentCredentials } from '../../core/account/older-ids.js'
import { toFailure, type Failure, type Outcome, type Request } from '../../core/call/outcome.js'
import { createFixedShards, type ShardMap } from '../../core/call/shard.js'
import { fromSentFailure, toSentOutcome, toSentRequest, type WorkerStart } from './protocol.js'
import { getCalledUser } from './called-user.js'
import { callPeer } from './remote-calls.js'
import type { Peer } from './peer.js'
import { WorkerThread, type WorkerEventHandlers } from './worker-thread.js'
import type { Credentials } from '../../core/call/credentials.js'

interface WorkersOptions extends Omit<WorkerStart, 'index' | 'config'> {
  /** The services of the main thread. */
  readonly services: Omit<SharedServices, 'previews'>
  readonly definitions: readonly AnyMethod[]
  /** Called when a worker thread has exited unexpectedly, so that its users can no longer be served. */
  readonly onFatal: (error: unknown) => void
  /** Returns the name by which the user with a name belongs to a thread. */
  readonly toShardName: (username: string) => string
  /** Called when cached data of an account is invalid. */
  readonly forget: (username: string) => void
}

export class Workers implements Dispatcher, Notifier {
  readonly services: SharedServices
  readonly definitions: readonly AnyMethod[]
  readonly #threads: readonly WorkerThread[]
  readonly #shards: ShardMap
  readonly #subscribers = new Map<number, Subscriber>()
  #lastSubscriber = 0

  private constructor(options: WorkersOptions) {
    const { services, count, definitions, frozenAt, methodModules } = options
    const previews: SharedServices['previews'] = {
      bytes: async (account, preview) =>
        Buffer.from(await this.#getPeer(account.username).request('previewBytes', account, preview))
    }
    this.services = { ...services, previews }
    this.definitions = definitions
    this.#shards = createFixedShards(count, options.toShardName)
    const start = {
      config: services.config,
      count,
      methodModules,
      ...(frozenAt === undefined ? {} : { frozenAt })
    }
    this.#threads = Array.from(
      { length: count },
      (_, index) => new WorkerThread({ ...start, index }, this.#createHandlers(options, index))
    )
  }

  /** Starts the threads. If a thread cannot start, terminates all threads and rejects. */
  static async start(options: WorkersOptions): Promise<Workers> {
    const workers = new Workers(options)
    try {
      await Promise.all(workers.#threads.map(({ ready }) => ready))
      return workers
    } catch (error) {
      await Promise.all(workers.#threads.map(thread => thread.terminate()))
      throw error
    }
  }

  /** Makes a call in the thread of the user; calls without a user run in a fixed thread. */
  async call(request: Request): Promise<Outcome> {
    return await this.#callPeer(this.#getPeer(getCalledUser(request)), request)
  }

  /** Checks in the thread of the user. Never rejects: an error becomes a failure. */
  async precheck(request: Omit<Request, 'params'>): Promise<PrecheckResult | Failure> {
    try {
      const checked = await this.#getPeer(request.user).request(
        'precheck',
        toSentRequest(this.services.config, request)
      )
      return checked.ok ? checked : fromSentFailure(checked)
    } catch (error) {
      return toFailure(this.services.log, error, request.method)
    }
  }

  /** Checks in the thread of the user. Never rejects: an error becomes a failure. */
  async recheck(request: Request): Promise<Failure | undefined> {
    try {
      const refusal = await this.#getPeer(request.user).request(
        'recheck',
        toSentRequest(this.services.config, request)
      )
      return refusal && fromSentFailure(refusal)
    } catch (error) {
      return toFailure(this.services.log, error, request.method)
    }
  }

  /** Authenticates in the thread of the user. */
  async admit(username: string, credentials: Credentials): Promise<AuthenticatedUser> {
    const account = await this.#getPeer(username).request(
      'admit',
      username,
      toSentCredentials(this.services.config, credentials)
    )
    return { account, credentials }
  }

  /** Joins in the thread of the user. */
  async join(
    { account, credentials }: AuthenticatedUser,
    subscriber: Subscriber
  ): Promise<Subscription | undefined> {
    const { username } = account
    const peer = this.#getPeer(username)
    const number = ++this.#lastSubscriber
    this.#subscribers.set(number, subscriber)
    try {
      const hasJoined = await peer.request(
        'join',
        username,
        toSentCredentials(this.services.config, credentials),
        number
      )
      if (!hasJoined) this.#subscribers.delete(number)
      return hasJoined ? this.#createSubscription(peer, number) : undefined
    } catch (error) {
      this.#subscribers.delete(number)
      throw error
    }
  }

  /** Creates the handlers for what a thread reports. */
  #createHandlers({ services, forget, onFatal }: WorkersOptions, index: number): WorkerEventHandlers {
    const others = (): WorkerThread[] => this.#threads.filter((_, other) => other !== index)
    return {
      fatal: error => onFatal(error),
      forget: username => forget(username),
      notify: (subscriberId, message, payload) =>
        this.#subscribers.get(subscriberId)?.notify(message, payload),
      unsubscribed: subscriberId => {
        this.#subscribers.get(subscriberId)?.close()
        this.#subscribers.delete(subscriberId)
      },
      log: (level, message, fields) => services.log[level](message, fields),
      forward: (id, username, request) => void this.#forward(index, id, username, request),
      throttled: note => {
        for (const { peer } of others()) peer.send('throttled', note)
      }
    }
  }

  /** Forwards a call to a thread other than the one that received it. */
  async #forward(from: number, id: number, username: string, request: Request): Promise<void> {
    const outcome = await this.#callPeer(this.#getPeer(username), request)
    this.#threads[from]!.peer.send(
      'forwarded',
      id,
      toSentOutcome(outcome, () => 0)
    )
  }

  /** Advances the clocks of the threads, if this thread's clock is advanced manually too. */
  advance(seconds: number): void {
    for (const { peer } of this.#threads) peer.send('advance', seconds)
  }

  /** Returns the load of all threads together. */
  async gauges(): Promise<Gauges> {
    const all = await Promise.all(this.#threads.map(({ peer }) => peer.request('gauges')))
    return all.reduce(
      (sum, one) =>
        Object.fromEntries(
          Object.entries(sum).map(([name, value]) => [name, value + one[name as keyof Gauges]])
        ) as unknown as Gauges
    )
  }

  /** Runs the readiness checks of all threads. */
  async readiness(): Promise<Readiness> {
    const all = await Promise.all(this.#threads.map(({ peer }) => peer.request('readiness')))
    return { platform: all.every(({ platform }) => platform), disk: all.every(({ disk }) => disk) }
  }

  /** Completes the background work of all workers that is otherwise up to a second behind. */
  async settle(): Promise<void> {
    await this.#requestAll('settle')
  }

  /** Stops background work and notifications in all workers. Calls are still answered. */
  async drain(): Promise<void> {
    await this.#requestAll('drain')
  }

  /** Ends all workers. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.close()))
  }

  /** Makes a call in a worker thread. Refuses it with `api-unavailable` if too many are in flight there; never rejects. */
  async #callPeer(peer: Peer, request: Request): Promise<Outcome> {
    try {
      // Beyond this, clients would time out before their call is made.
      if (peer.pendingCount >= this.services.config.limits.callsInFlight)
        throw new ApiError('api-unavailable', 'Too many calls at the moment. Try again', {
          retryAfter: 1
        })
      const outcome = await callPeer(peer, this.services.config, request)
      return outcome
    } catch (error) {
      return toFailure(this.services.log, error, request.method)
    }
  }

  #getPeer(username: string | undefined): Peer {
    return this.#threads[this.#shards.indexOf(username ?? '')]!.peer
  }

  #createSubscription(peer: Peer, number: number): Subscription {
    const subscription = peer.getSubscription(number)
    return {
      runMethod: (method, params) =>
        this.#subscribers.has(number) ? subscription.runMethod(method, params) : fail('invalid-access-token'),
      unsubscribe: () => {
        this.#subscribers.delete(number)
        subscription.unsubscribe()
      }
    }
  }

  async #requestAll(operation: 'settle' | 'drain'): Promise<void> {
    await Promise.all(this.#threads.map(({ peer }) => peer.request(operation)))
  }
}
