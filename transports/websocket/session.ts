/** One open socket of a user: its calls go to the registry, changes come to it. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Socket } from 'socket.io'
import { metaMember } from '../../core/envelope.js'
import { presentedToken } from '../../core/auth/authenticate.js'
import { ApiError, fail } from '../../core/errors.js'
import type { Admission, Notifier, Dispatcher, Subscription } from '../../core/call/dispatcher.js'
import { JsonText, members } from '../../core/json/json-text.js'
import { isSubscriptionMethod } from '../../core/notifications/subscriptions.js'
import type { Backlog, Holder } from './backlog.js'
import { CallQueue } from './call-queue.js'
import type { Connection, Guest } from './connection.js'

/** Answers up to this size are given however much waits for others. */
const modestLength = 64 * 1024
/** Time for the answer to a call that ends its own access, in milliseconds. */
const answerMs = 1000

/** The client's callback: `(error)` or `(null, result)`. */
type Reply = (error: JsonText | null, result?: JsonText) => void

/** Where sockets are served. */
export interface Hall {
  readonly dispatcher: Dispatcher
  readonly feed: Notifier
  readonly backlog: Backlog
  /** What a method is, by its id: a read may be refused when its result is there, a batch adds up. */
  readonly modes: ReadonlyMap<string, string>
}

export class SocketSession implements Guest {
  readonly holder: Holder
  readonly #queue: CallQueue
  readonly #listening: Promise<Subscription | undefined>
  /** Messages of which the client will hear when it has taken what waits, and their keys. */
  readonly #missed = new Map<string, Set<string> | undefined>()

  constructor(
    private readonly hall: Hall,
    private readonly admitted: Admission,
    private readonly socket: Socket,
    private readonly connection: Connection
  ) {
    const { backlog, dispatcher } = hall
    const { callsPerSecond, maxInFlight } = dispatcher.core.config.sockets
    this.holder = backlog.holder(admitted.account.id, presentedToken(admitted.credentials) ?? '')
    this.#queue = new CallQueue({
      perSecond: callsPerSecond,
      maxWaiting: maxInFlight,
      drained: () => connection.outbox.drained(),
      settled: () => connection.inbox.settle()
    })
    connection.joined(this)
    // Every listener is attached before anything can wait: a message that comes early is not lost.
    socket.onAny((method: unknown, ...args: unknown[]) => this.#receive(String(method), args))
    socket.on('disconnect', () => void this.#leave())
    this.#listening = this.#join()
    void this.#listening.then(
      listening => listening ?? this.#cut(),
      (error: unknown) => {
        // The account's file may have become unreadable since.
        dispatcher.failure(error, 'socket')
        this.#cut()
      }
    )
  }

  get load(): number {
    return this.#queue.load
  }

  /** Resolves when the call that runs has been answered; those that wait are dropped. */
  end(): Promise<void> {
    return this.#queue.end()
  }

  async #join(): Promise<Subscription | undefined> {
    return await this.hall.feed.join(this.admitted, {
      notify: (message, payload) => this.#hear(message, payload),
      close: () => void this.#cutAfterAnswer()
    })
  }

  #receive(method: string, args: readonly unknown[]): void {
    const reply = replyOf(args)
    const params = args.length === 0 || args[0] === reply ? {} : args[0]
    const refusal = this.#refusalOf(params)
    if (!refusal && this.#queue.add(() => this.#call(method, params, reply))) return
    this.#refuse(reply, refusal ?? tooManyInFlight)
    const { inbox } = this.connection
    if (refusal) inbox.settle()
    else inbox.fill()
  }

  #refusalOf(params: unknown): ApiError | undefined {
    // What goes beyond a limit has been found while it was read.
    if (params instanceof ApiError) return params
    return this.connection.inbox.hasSentBinary && holdsBinary(params)
      ? new ApiError('invalid-parameters-format', 'Binary data cannot be params')
      : undefined
  }

  async #call(method: string, params: unknown, reply: Reply | undefined): Promise<void> {
    const { account, credentials } = this.admitted
    const { dispatcher, modes } = this.hall
    if (isSubscriptionMethod(method)) return await this.#subscribe(method, params, reply)
    const isBatch = modes.get(method) === 'batch'
    const lack = this.holder.refusal(1)
    // When others do not take their answers, what is short is still answered to who takes his.
    if (lack && (this.connection.outbox.size > 0 || (isBatch && !this.#onlyReads(method, params))))
      return this.#refuse(reply, lack)
    const request = { user: account.username, method, params, credentials }
    const outcome = await dispatcher.callWhole(request)
    if (!outcome.ok) return this.#refuse(reply, outcome.error)
    const { members: text } = outcome
    const tooLong = text.length > modestLength ? this.holder.refusal(text.length) : undefined
    // What has changed something is answered in any case.
    if (tooLong && this.#onlyReads(method, params)) this.#refuse(reply, tooLong)
    else this.#answer(reply, text)
  }

  /** Whether a call changes nothing, nor any call of a batch. */
  #onlyReads(method: string, params: unknown): boolean {
    const { modes } = this.hall
    if (modes.get(method) !== 'batch') return modes.get(method) === 'read'
    const calls: unknown[] = Array.isArray(params) ? params : []
    return calls.every(call => modes.get(String(Object(call).method)) === 'read')
  }

  async #subscribe(method: string, params: unknown, reply: Reply | undefined): Promise<void> {
    try {
      const listening = (await this.#listening) ?? fail('invalid-access-token')
      this.#answer(reply, members(await listening.subscribing(method, params)))
    } catch (error) {
      this.#refuse(reply, this.hall.dispatcher.failure(error, method).error)
    }
  }

  #answer(reply: Reply | undefined, text: string): void {
    reply?.(null, new JsonText(`{${text === '' ? '' : `${text},`}${this.#meta()}}`))
  }

  #refuse(reply: Reply | undefined, error: ApiError): void {
    reply?.(new JsonText(`{${members({ error, ...error.details.beside })},${this.#meta()}}`))
  }

  #meta(): string {
    const { clock, config } = this.hall.dispatcher.core
    return metaMember(config, clock.now())
  }

  /** Tells of a change. A client that does not take what it is sent hears once of what it has missed. */
  #hear(message: string, payload: { readonly keys?: readonly string[] } | undefined): void {
    const { outbox } = this.connection
    if (!outbox.isSlow) return this.#tell(message, payload?.keys)
    if (this.#missed.size === 0) void outbox.drained()?.then(() => this.#catchUp())
    const keys = payload?.keys && new Set([...(this.#missed.get(message) ?? []), ...payload.keys])
    this.#missed.set(message, keys)
  }

  #tell(message: string, keys: Iterable<string> | undefined): void {
    if (keys) this.socket.emit(message, { keys: [...keys] })
    else this.socket.emit(message)
  }

  #catchUp(): void {
    const missed = [...this.#missed]
    this.#missed.clear()
    for (const [message, keys] of missed) this.#tell(message, keys)
  }

  /** A call that ends its own access is answered first, unless the client does not fetch its answers: what waits is lost then. */
  async #cutAfterAnswer(): Promise<void> {
    const { outbox } = this.connection
    await Promise.race([this.#queue.end(), pause(answerMs, undefined, { ref: false })])
    await Promise.race([outbox.drained(), pause(answerMs, undefined, { ref: false })])
    setImmediate(() => {
      const { isSlow } = outbox
      this.#cut()
      // Nobody can take as long as he likes to fetch what his access no longer shows.
      if (isSlow) this.connection.terminate()
    })
  }

  /** Closes the namespace and, unless another is open on it, the connection. */
  #cut(): void {
    this.socket.disconnect()
    if (!this.connection.hasOthers) this.connection.end()
  }

  async #leave(): Promise<void> {
    this.connection.left(this)
    this.holder.leave()
    void this.#listening.then(
      listening => listening?.leave(),
      () => undefined
    )
    await this.#queue.end()
  }
}

const tooManyInFlight = new ApiError('too-many-requests', 'Too many calls of this socket are in flight')

function replyOf(args: readonly unknown[]): Reply | undefined {
  const last = args.at(-1)
  return typeof last === 'function' ? (last as Reply) : undefined
}

/** Whether there is binary data anywhere. Walks without recursion. */
function holdsBinary(value: unknown): boolean {
  const found: unknown[] = [value]
  for (const item of found) {
    if (typeof item !== 'object' || item === null) continue
    if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) return true
    for (const inner of Object.values(item)) found.push(inner)
  }
  return false
}
