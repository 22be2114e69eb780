/** The core in threads of their own: each owns the files of some users, whose calls are sent to it. */
import { mustBeShallow } from '../../core/json/depth.js'
import { ApiError, fail } from '../../core/errors.js'
import type { Gauges, Readiness } from '../gauges.js'
import type {
  Admittance,
  Admission,
  Subscriber,
  Notifier,
  Dispatcher,
  SharedServices,
  Subscription
} from '../../core/call/dispatcher.js'
import type { AnyMethod } from '../../core/call/method.js'
import { withFewHeaders } from '../../core/account/older-ids.js'
import { failureOf, type Failure, type Outcome, type Request } from '../../core/call/outcome.js'
import { shardOf } from '../../core/call/shard.js'
import {
  receivedFailure,
  receivedOutcome,
  sentOutcome,
  type Operations,
  type WorkerStart
} from './protocol.js'
import { RemoteRest } from './remote-rest.js'
import { Thread, type Hearer } from './thread.js'
import type { Credentials } from '../../core/call/credentials.js'

export interface WorkersOptions extends Omit<WorkerStart, 'index' | 'config'> {
  /** All that is not found out by asking the threads. */
  readonly core: Omit<SharedServices, 'previews'>
  readonly definitions: readonly AnyMethod[]
  /** Told when a thread has ended by itself: the users it owns cannot be served any more. */
  readonly onFatal: (error: unknown) => void
  /** Told when what is remembered of an account counts no longer. */
  readonly forget: (username: string) => void
}

export class Workers implements Dispatcher, Notifier {
  readonly core: SharedServices
  readonly definitions: readonly AnyMethod[]
  readonly #threads: readonly Thread[]
  readonly #ears = new Map<number, Subscriber>()
  #lastEar = 0

  private constructor(options: WorkersOptions) {
    const { core, count, definitions, frozenAt, methodModules } = options
    const previews: SharedServices['previews'] = {
      bytes: async (account, preview) =>
        Buffer.from(await this.#threadOf(account.username).ask('previewBytes', account, preview))
    }
    this.core = { ...core, previews }
    this.definitions = definitions
    const start = {
      config: core.config,
      count,
      methodModules,
      ...(frozenAt === undefined ? {} : { frozenAt })
    }
    this.#threads = Array.from(
      { length: count },
      (_, index) => new Thread({ ...start, index }, this.#hearer(options, index))
    )
  }

  /** Starts the threads. Rejects, with all of them ended, if one cannot start. */
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

  async call(request: Request): Promise<Outcome> {
    return await this.#call(request, false)
  }

  async callWhole(request: Request): Promise<Outcome> {
    return await this.#call(request, true)
  }

  async precheck(request: Omit<Request, 'params'>): Promise<Failure | undefined> {
    try {
      const refusal = await this.#threadOf(request.user).ask('precheck', this.#sendable(request))
      return refusal && receivedFailure(refusal)
    } catch (error) {
      return this.failure(error, request.method)
    }
  }

  async recheck(request: Request): Promise<Failure | undefined> {
    try {
      const refusal = await this.#threadOf(request.user).ask('recheck', this.#sendable(request))
      return refusal && receivedFailure(refusal)
    } catch (error) {
      return this.failure(error, request.method)
    }
  }

  async admitUpload(request: Omit<Request, 'params'>): Promise<Admittance | Failure> {
    try {
      const admitted = await this.#threadOf(request.user).ask('admitUpload', this.#sendable(request))
      return admitted.ok ? admitted : receivedFailure(admitted)
    } catch (error) {
      return this.failure(error, request.method)
    }
  }

  failure(thrown: unknown, method: string): Failure {
    return failureOf(this.core.log, thrown, method)
  }

  async admit(username: string, credentials: Credentials): Promise<Admission> {
    const account = await this.#threadOf(username).ask(
      'admit',
      username,
      this.#sendableCredentials(credentials)
    )
    return { account, credentials }
  }

  async join({ account, credentials }: Admission, ear: Subscriber): Promise<Subscription | undefined> {
    const { username } = account
    const thread = this.#threadOf(username)
    const number = ++this.#lastEar
    this.#ears.set(number, ear)
    try {
      const isHeard = await thread.ask('join', username, this.#sendableCredentials(credentials), number)
      if (!isHeard) this.#ears.delete(number)
      return isHeard ? this.#listening(thread, number) : undefined
    } catch (error) {
      this.#ears.delete(number)
      throw error
    }
  }

  #hearer({ core, forget, onFatal }: WorkersOptions, index: number): Hearer {
    const others = (): Thread[] => this.#threads.filter((_, other) => other !== index)
    return {
      fatal: error => onFatal(error),
      forget: username => forget(username),
      hear: (ear, message, payload) => this.#ears.get(ear)?.notify(message, payload),
      cut: ear => {
        this.#ears.get(ear)?.close()
        this.#ears.delete(ear)
      },
      log: (level, message, fields) => core.log[level](message, fields),
      forward: (id, username, request) => void this.#forward(index, id, username, request),
      throttled: note => {
        for (const thread of others()) thread.tell('throttled', note)
      }
    }
  }

  /** Has a call made by another thread than the one that was asked for it. */
  async #forward(from: number, id: number, username: string, request: Request): Promise<void> {
    const outcome = await this.#ask(this.#threadOf(username), request, true)
    this.#threads[from]!.tell(
      'forwarded',
      id,
      sentOutcome(outcome, () => 0)
    )
  }

  /** Moves the clocks on: they stand still where this thread's does. */
  advance(seconds: number): void {
    for (const thread of this.#threads) thread.tell('advance', seconds)
  }

  /** How busy they are, all together. */
  async gauges(): Promise<Gauges> {
    const all = await Promise.all(this.#threads.map(thread => thread.ask('gauges')))
    return all.reduce(
      (sum, one) =>
        Object.fromEntries(
          Object.entries(sum).map(([name, value]) => [name, value + one[name as keyof Gauges]])
        ) as unknown as Gauges
    )
  }

  /** Whether all of them are of use. */
  async readiness(): Promise<Readiness> {
    const all = await Promise.all(this.#threads.map(thread => thread.ask('readiness')))
    return { platform: all.every(({ platform }) => platform), disk: all.every(({ disk }) => disk) }
  }

  async settle(): Promise<void> {
    await this.#all('settle')
  }

  async quieten(): Promise<void> {
    await this.#all('quieten')
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.close()))
  }

  async #call(request: Request, isWhole: boolean): Promise<Outcome> {
    return await this.#ask(this.#threadOf(request.user ?? usernameIn(request.params)), request, isWhole)
  }

  async #ask(thread: Thread, request: Request, isWhole: boolean): Promise<Outcome> {
    try {
      // Beyond this, waiting would be longer than anybody is patient.
      if (thread.load >= this.core.config.limits.callsInFlight)
        throw new ApiError('api-unavailable', 'Too many calls at the moment. Please try again', {
          retryAfter: 1
        })
      const outcome = await this.#sent(thread, request, isWhole)
      return receivedOutcome(outcome, rest => new RemoteRest(thread, rest))
    } catch (error) {
      return this.failure(error, request.method)
    }
  }

  async #sent(thread: Thread, request: Request, isWhole: boolean): ReturnType<Operations['call']> {
    try {
      return await thread.ask('call', this.#sendable(request), isWhole)
    } catch (error) {
      // What is nested too deep cannot be copied; the thread would refuse it too.
      if (!(error instanceof ApiError)) mustBeShallow(request.params, this.core.config.limits.jsonDepth)
      throw error
    }
  }

  #threadOf(username: string | undefined): Thread {
    return this.#threads[shardOf(username ?? '', this.#threads.length)]!
  }

  #listening(thread: Thread, number: number): Subscription {
    return {
      subscribing: (method, params) =>
        this.#ears.has(number)
          ? thread.ask('subscribing', number, method, params)
          : fail('invalid-access-token'),
      leave: () => {
        this.#ears.delete(number)
        thread.tell('leave', number)
      }
    }
  }

  #sendable<R extends Omit<Request, 'params'>>(request: R): R {
    return { ...request, credentials: this.#sendableCredentials(request.credentials) }
  }

  /** Headers are many; only the operator's own step wants all of them. */
  #sendableCredentials(credentials: Credentials): Credentials {
    return this.core.config.auth.authorizationStep === '' ? withFewHeaders(credentials) : credentials
  }

  async #all(operation: 'settle' | 'quieten'): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.ask(operation)))
  }
}

/** Methods of the service that touch a user's file name that user in their params. */
function usernameIn(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null || !('username' in params)) return undefined
  return typeof params.username === 'string' ? params.username.toLowerCase() : undefined
}
