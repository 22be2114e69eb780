/** An open socket of a user: makes its calls, and notifies it of changes. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Socket } from 'socket.io'
import { getBaseId } from '../../core/access-ids.js'
import { toErrorEnvelope, toMetaMember } from '../../core/envelope.js'
import { getPresentedToken } from '../../core/auth/authenticate.js'
import { ApiError, fail } from '../../core/errors.js'
import type { AuthenticatedUser, Notifier, Dispatcher, Subscription } from '../../core/call/dispatcher.js'
import { toFailure } from '../../core/call/outcome.js'
import { assertDepth } from '../../core/json/depth.js'
import { JsonText, joinMembers } from '../../core/json/json-text.js'
import { isSubscriptionMethod } from '../../core/notifications/subscriptions.js'
import type { Party } from '../../storage/scheduler.js'
import type { Backlog, BacklogShare } from './backlog.js'
import { CallQueue } from './call-queue.js'
import type { Connection, JoinedNamespace } from './connection.js'
import { getDecoder } from './internals.js'
import { PendingParams } from './packet-decoder.js'

/** Responses up to this size are sent regardless of how much waits for other clients. */
const maxShortLength = 64 * 1024
/** Time to send the response to a call that ends its own access, in milliseconds. */
const lastResponseMs = 1000

/** Maximum number of notifications held back for one socket. */
const maxMissed = 1000

/** What comes with a notification: the keys of scopes, or an access with a new version. */
interface Payload {
  readonly keys?: readonly string[]
  readonly accessId?: string
}

interface Missed {
  readonly message: string
  readonly payload: Payload | undefined
}

/** The client's callback: `(error)` or `(null, result)`. */
type Reply = (error: JsonText | null, result?: JsonText) => void

/** The services that all sockets share. */
export interface SocketServices {
  readonly dispatcher: Dispatcher
  readonly notifier: Notifier
  readonly backlog: Backlog
  /** The modes of methods by id: the result of a read may still be refused, and a batch contains other calls. */
  readonly modes: ReadonlyMap<string, string>
}

export class SocketSession implements JoinedNamespace {
  readonly share: BacklogShare
  readonly #party: Party
  readonly #queue: CallQueue
  #subscription: Subscription | undefined
  #isOpen = false
  #isOver = false
  /** Notifications held back until the client is connected and has read what waits. */
  readonly #missed = new Map<string, Missed>()

  constructor(
    private readonly services: SocketServices,
    private readonly admitted: AuthenticatedUser,
    private readonly socket: Socket,
    private readonly connection: Connection
  ) {
    const { backlog, dispatcher } = services
    const { callsPerSecond, maxInFlight } = dispatcher.services.config.sockets
    const party = { account: admitted.account.id, access: getPresentedToken(admitted.credentials) ?? '' }
    this.#party = getDecoder(socket).party = party
    this.share = backlog.createShare(party.account, party.access)
    this.#queue = new CallQueue({
      party,
      maxPerSecond: callsPerSecond,
      maxWaiting: maxInFlight,
      waitUntilDrained: () => connection.outbox.waitUntilDrained(),
      onIdle: () => connection.inbox.settle()
    })
    connection.addNamespace(this)
    // All listeners are attached before the client is connected, so that no early message is lost.
    socket.onAny((method: unknown, ...args: unknown[]) => this.#receive(String(method), args))
    socket.on('disconnect', () => this.leave())
  }

  get pendingCount(): number {
    return this.#queue.pendingCount
  }

  /** Drops waiting calls. Resolves when the running call has been answered. */
  end(): Promise<void> {
    return this.#queue.end()
  }

  /**
   * Subscribes to changes. This happens before the client is connected, so it receives every change from
   * then on. Errors: `invalid-access-token` if the access has ended since it was admitted.
   */
  async join(): Promise<void> {
    try {
      const subscription = await this.services.notifier.join(this.admitted, {
        notify: (message, payload) => this.#notify(message, payload),
        close: () => (this.#isOpen ? void this.#closeAfterAnswer() : this.leave())
      })
      if (this.#isOver) subscription?.unsubscribe()
      if (this.#isOver || !subscription) fail('invalid-access-token')
      this.#subscription = subscription
    } catch (error) {
      this.leave()
      throw error
    }
  }

  /** Sends the notifications that came before the client was connected. */
  open(): void {
    this.#isOpen = true
    // The access may have ended in the meantime.
    if (this.#isOver) return this.#close()
    void Promise.resolve(this.connection.outbox.waitUntilDrained()).then(() => this.#catchUp())
  }

  /** Ends the subscription, and drops the calls that wait. Idempotent. */
  leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.connection.removeNamespace(this)
    this.share.release()
    this.#subscription?.unsubscribe()
    this.#subscription = undefined
    void this.#queue.end()
  }

  #receive(method: string, args: readonly unknown[]): void {
    const reply = getReply(args)
    const text = args[0] === reply ? undefined : args[0]
    const { inbox } = this.connection
    // Only the params of events with binary data have been parsed.
    if (text !== undefined && !(text instanceof PendingParams)) {
      this.#refuse(reply, binaryParams)
      inbox.settle()
    } else if (!this.#queue.add(() => this.#makeCall(method, text, reply))) {
      this.#refuse(reply, tooManyInFlight)
      inbox.pause()
    }
  }

  /** Makes a call whose turn has come; closes the connection if its params are no JSON. */
  async #makeCall(method: string, text: PendingParams | undefined, reply: Reply | undefined): Promise<void> {
    let params: unknown = {}
    try {
      if (text) params = await text.parse(this.#party)
    } catch (error) {
      if (error instanceof ApiError) return this.#refuse(reply, error)
      return getDecoder(this.socket).refuse()
    }
    await this.#call(method, params, reply)
  }

  /**
   * Makes a call and answers it, unless what waits for the client takes too much memory. A call that has changed data
   * is always answered.
   */
  async #call(method: string, params: unknown, reply: Reply | undefined): Promise<void> {
    const { account, credentials } = this.admitted
    const { dispatcher, modes } = this.services
    if (isSubscriptionMethod(method)) return await this.#subscribe(method, params, reply)
    const isBatch = modes.get(method) === 'batch'
    const shortage = this.share.checkRoom(1)
    // If other clients do not read their responses, this one still gets short ones while it reads its own.
    if (shortage && (this.connection.outbox.size > 0 || (isBatch && !this.#isReadOnly(method, params))))
      return this.#refuse(reply, shortage)
    const user = account.username
    const outcome = await dispatcher.call({ user, method, params, credentials, isWhole: true })
    if (!outcome.ok) return this.#refuse(reply, outcome.error)
    const { members: text } = outcome
    const tooLong = text.length > maxShortLength ? this.share.checkRoom(text.length) : undefined
    // A call that has changed data is always answered.
    if (tooLong && this.#isReadOnly(method, params)) this.#refuse(reply, tooLong)
    else this.#answer(reply, text)
  }

  /** Returns whether a call, including all calls of a batch, changes nothing. */
  #isReadOnly(method: string, params: unknown): boolean {
    const { modes } = this.services
    if (modes.get(method) !== 'batch') return modes.get(method) === 'read'
    const calls: unknown[] = Array.isArray(params) ? params : []
    return calls.every(call => modes.get(String(Object(call).method)) === 'read')
  }

  async #subscribe(method: string, params: unknown, reply: Reply | undefined): Promise<void> {
    try {
      // Another thread or node gets them in one piece.
      assertDepth(params, Infinity, this.services.dispatcher.services.config.limits.jsonContainers)
      const subscription = this.#subscription ?? fail('invalid-access-token')
      this.#answer(reply, joinMembers(await subscription.runMethod(method, params)))
    } catch (error) {
      this.#refuse(reply, toFailure(this.services.dispatcher.services.log, error, method).error)
    }
  }

  #answer(reply: Reply | undefined, text: string): void {
    reply?.(null, new JsonText(`{${text === '' ? '' : `${text},`}${this.#formatMeta()}}`))
  }

  #refuse(reply: Reply | undefined, error: ApiError): void {
    const { clock, config } = this.services.dispatcher.services
    reply?.(new JsonText(toErrorEnvelope(config, clock.now(), error)))
  }

  #formatMeta(): string {
    const { clock, config } = this.services.dispatcher.services
    return toMetaMember(config, clock.now())
  }

  /** Notifies the client of a change. If it reads too slowly, changes are merged until it has caught up. */
  #notify(message: string, payload: Payload | undefined): void {
    const { outbox } = this.connection
    if (this.#isOpen && !outbox.isSlow) return this.#send({ message, payload })
    if (this.#isOpen && this.#missed.size === 0) void outbox.waitUntilDrained()?.then(() => this.#catchUp())
    // Of several updates of an access the last counts.
    const isUpdate = payload?.accessId !== undefined
    const key = isUpdate ? `${message} ${getBaseId(payload.accessId)}` : message
    const keys = payload?.keys && [
      ...new Set([...(this.#missed.get(key)?.payload?.keys ?? []), ...payload.keys])
    ]
    this.#missed.delete(key)
    // Beyond that, clients learn from `accessesChanged` that they have to read accesses again.
    if (isUpdate && this.#missed.size >= maxMissed) return
    this.#missed.set(key, { message, payload: keys ? { keys } : payload })
  }

  #send({ message, payload }: Missed): void {
    if (payload) this.socket.emit(message, payload)
    else this.socket.emit(message)
  }

  #catchUp(): void {
    const missed = [...this.#missed.values()]
    this.#missed.clear()
    for (const each of missed) this.#send(each)
  }

  /**
   * Closes the socket of a revoked access. A call that ends its own access is answered first, unless the client does
   * not read its responses.
   */
  async #closeAfterAnswer(): Promise<void> {
    const { outbox } = this.connection
    await Promise.race([this.#queue.end(), pause(lastResponseMs, undefined, { ref: false })])
    await Promise.race([outbox.waitUntilDrained(), pause(lastResponseMs, undefined, { ref: false })])
    setImmediate(() => {
      const { isSlow } = outbox
      this.#close()
      // Data of a revoked access must not wait for a slow client indefinitely.
      if (isSlow) this.connection.terminate()
    })
  }

  /** Closes the namespace, and the connection unless another namespace is open on it. */
  #close(): void {
    this.socket.disconnect()
    if (!this.connection.hasNamespaces) this.connection.end()
  }
}

const binaryParams = new ApiError('invalid-parameters-format', 'Parameters cannot contain binary data')
const tooManyInFlight = new ApiError('too-many-requests', 'Too many calls on this socket are in progress')

function getReply(args: readonly unknown[]): Reply | undefined {
  const last = args.at(-1)
  return typeof last === 'function' ? (last as Reply) : undefined
}
