/** One open socket of a user: its calls go to the registry, changes come to it. (service.md, Websocket messages; supplement 16) */
import { setTimeout as pause } from 'node:timers/promises'
import type { Socket } from 'socket.io'
import { metaMember } from '../../core/envelope.js'
import { ApiError, fail } from '../../core/errors.js'
import type { Admitted, Feed, Gateway, Listening } from '../../core/gateway.js'
import { JsonText, members } from '../../core/json.js'
import { isSubscriptionMethod } from '../../core/subscriptions.js'
import { CallQueue } from './call-queue.js'
import type { Connection } from './connection.js'

/** Time for the answer to a call that ends its own access, in milliseconds. */
const answerMs = 1000

/** The client's callback: `(error)` or `(null, result)`. */
type Reply = (error: JsonText | null, result?: JsonText) => void

export class Session {
  readonly #queue: CallQueue
  readonly #listening: Promise<Listening | undefined>

  constructor(
    private readonly gateway: Gateway,
    feed: Feed,
    private readonly admitted: Admitted,
    private readonly socket: Socket,
    private readonly connection: Connection
  ) {
    const { callsPerSecond, maxInFlight } = gateway.core.config.sockets
    this.#queue = new CallQueue({
      perSecond: callsPerSecond,
      maxWaiting: maxInFlight,
      drained: () => connection.drained(),
      settled: () => connection.settled()
    })
    connection.joined()
    // Every listener is attached before anything can wait: a message that comes early is not lost.
    socket.onAny((method: unknown, ...args: unknown[]) => this.#receive(String(method), args))
    socket.on('disconnect', () => void this.#leave())
    const joining = feed.join(admitted, {
      hear: (message, payload) => this.#hear(message, payload),
      cut: () => void this.#cutAfterAnswer()
    })
    this.#listening = Promise.resolve(joining)
    void this.#listening.then(
      listening => listening ?? this.#cut(),
      (error: unknown) => {
        // The account's file may have become unreadable since.
        gateway.failure(error, 'socket')
        this.#cut()
      }
    )
  }

  /** Resolves when the call that runs has been answered; those that wait are dropped. */
  end(): Promise<void> {
    return this.#queue.end()
  }

  #receive(method: string, args: readonly unknown[]): void {
    const reply = replyOf(args)
    const params = args.length === 0 || args[0] === reply ? {} : args[0]
    // What goes beyond a limit has been found while it was read.
    if (params instanceof ApiError) return this.#refuse(reply, params)
    if (this.connection.hasSentBinary && holdsBinary(params))
      return this.#refuse(reply, new ApiError('invalid-parameters-format', 'Binary data cannot be params.'))
    if (this.#queue.add(() => this.#call(method, params, reply))) return
    this.#refuse(reply, new ApiError('too-many-requests', 'Too many calls of this socket are in flight.'))
  }

  async #call(method: string, params: unknown, reply: Reply | undefined): Promise<void> {
    const { account, credentials } = this.admitted
    if (isSubscriptionMethod(method)) {
      try {
        const listening = (await this.#listening) ?? fail('invalid-access-token')
        this.#answer(reply, members(await listening.subscribing(method, params)))
      } catch (error) {
        this.#refuse(reply, this.gateway.failure(error, method).error)
      }
      return
    }
    const outcome = await this.gateway.callWhole({ user: account.username, method, params, credentials })
    if (outcome.ok) this.#answer(reply, outcome.members)
    else this.#refuse(reply, outcome.error)
  }

  #answer(reply: Reply | undefined, text: string): void {
    reply?.(null, new JsonText(`{${text === '' ? '' : `${text},`}${this.#meta()}}`))
  }

  #refuse(reply: Reply | undefined, error: ApiError): void {
    if (reply && this.connection.mayHear())
      reply(new JsonText(`{${members({ error, ...error.details.beside })},${this.#meta()}}`))
  }

  #meta(): string {
    const { clock, config } = this.gateway.core
    return metaMember(config, clock.now())
  }

  #hear(message: string, payload: object | undefined): void {
    if (!this.connection.mayHear()) return
    if (payload) this.socket.emit(message, payload)
    else this.socket.emit(message)
  }

  /** A call that ends its own access is answered first, unless the client does not fetch its answers. */
  async #cutAfterAnswer(): Promise<void> {
    await Promise.race([this.#queue.end(), pause(answerMs, undefined, { ref: false })])
    setImmediate(() => this.#cut())
  }

  /** Closes the namespace and, unless another is open on it, the connection. */
  #cut(): void {
    this.socket.disconnect()
    if (!this.connection.hasOthers) this.connection.end()
  }

  async #leave(): Promise<void> {
    this.connection.left()
    void this.#listening.then(
      listening => listening?.leave(),
      () => undefined
    )
    await this.#queue.end()
  }
}

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
