/** One connection with all namespaces joined on it: what it may use, and when it is closed. */
import type { WebSocket } from 'ws'
import { ApiError } from '../../core/errors.js'
import type { Settings } from '../../core/settings/settings.js'
import type { Holder } from './backlog.js'
import type { Slot } from './handshakes.js'
import { Inbox } from './inbox.js'
import {
  bePolledWithin,
  decodePayloadsBy,
  isEscaped,
  limitMessages,
  triedOut,
  webSocketOf,
  type Conn
} from './insides.js'
import { Outbox } from './outbox.js'
import { inBounds } from './polling.js'

/** The largest message before authentication: it holds tokens of a few namespaces. */
export const strangerMessageBytes = 16 * 1024
/** The largest message of a JSONP client, which escapes line ends: each takes as long as a kilobyte of other text. */
const escapedMessageBytes = 256 * 1024
/** Limits for open namespaces, and for failed or pending attempts to join one. */
const maxNamespaces = 1000
const maxAttempts = 200
/**
 * Maximum number of WebSocket upgrade attempts (clients make one), and the time in milliseconds to fetch the message
 * that closes the connection.
 */
const maxUpgradeAttempts = 10
const closeTimeoutMs = 5000
/** The code with which a WebSocket is closed for the size of a message. (RFC 6455, 7.4.1) */
const messageTooBig = 1009
/** The namespace and acknowledgement number of an event packet, up to its arguments. */
const callHead = /^42(\/[^,]*,)?(\d+)\[/

/** A joined namespace. */
export interface Guest {
  readonly holder: Holder
  /** Number of calls that wait or run. */
  readonly load: number
  /** Called when the connection is closed, unless it has left before. */
  leave(): void
}

export interface ConnectionOptions {
  readonly slot: Slot
  readonly bodyBytes: number
  readonly sockets: Pick<Settings['sockets'], 'maxPendingBytes' | 'namespaceTimeout'>
  /** Called when there is something to watch: see {@link Connection.hasStalled}. */
  readonly begun: () => void
  /** Returns the response of a call that fails with this error. */
  readonly describeError: (error: ApiError) => string
}

export class Connection {
  /** Characters received and not yet decoded; known once there is a namespace. */
  undecoded: () => number = () => 0
  readonly outbox: Outbox
  readonly inbox: Inbox
  readonly #guests = new Set<Guest>()
  #maxAttempts = 0
  #maxUpgradeAttempts = 0
  #idle: NodeJS.Timeout | undefined

  constructor(
    private readonly conn: Conn,
    private readonly options: ConnectionOptions
  ) {
    const { begun, slot, sockets } = options
    const giveUp = (): void => this.terminate()
    this.outbox = new Outbox(conn, { begun, giveUp, eased: () => this.inbox.ease() })
    this.inbox = new Inbox(conn, {
      begun,
      giveUp,
      max: sockets.maxPendingBytes,
      isIdle: () => this.#isIdle && !this.outbox.isSlow,
      undecoded: () => this.undecoded(),
      refuse: (socket, start) => this.#refuseMessage(socket, start)
    })
    slot.evict = giveUp
    conn.on('close', () => {
      clearTimeout(this.#idle)
      slot.leave()
      // Those that were being connected are told by nobody else.
      for (const guest of this.#guests) guest.leave()
    })
    conn.on('upgrading', (transport: unknown) => {
      if (++this.#maxUpgradeAttempts > maxUpgradeAttempts) triedOut(transport)?.terminate()
    })
    conn.on('upgrade', () => this.#limitMessages())
    if (!webSocketOf(conn)) {
      decodePayloadsBy(conn, inBounds)
      bePolledWithin(conn, closeTimeoutMs)
    }
    this.#limitMessages()
    this.#closeIfIdle()
  }

  /** Size of the largest message that is accepted. */
  get largestMessage(): number {
    const { bodyBytes } = this.options
    if (this.#guests.size === 0) return strangerMessageBytes
    return isEscaped(this.conn) ? Math.min(bodyBytes, escapedMessageBytes) : bodyBytes
  }

  /** Counts an attempt to join a namespace; returns whether it is allowed. */
  tries(): boolean {
    return ++this.#maxAttempts <= maxAttempts && this.#guests.size < maxNamespaces
  }

  /** Registers a joined namespace of a user. */
  joined(guest: Guest): void {
    this.#maxAttempts--
    this.#guests.add(guest)
    clearTimeout(this.#idle)
    if (this.#guests.size > 1) return
    this.options.slot.admitted()
    this.#charge(guest)
  }

  left(guest: Guest): void {
    this.#guests.delete(guest)
    const [other] = this.#guests
    if (other) this.#charge(other)
    else if (this.conn.readyState === 'open') {
      this.inbox.charge(undefined)
      this.#limitMessages()
      this.options.slot.estranged()
      this.#closeIfIdle()
    }
  }

  get hasOthers(): boolean {
    return this.#guests.size > 0
  }

  /** Whether the client has read next to nothing, or has not finished sending a large message, for too long. */
  hasStalled(now: number, limits: Settings['limits']): boolean {
    return this.outbox.hasStalled(now, limits) || this.inbox.hasStalled(now, limits.bodyTimeout)
  }

  /** Whether anything is in progress that could stall. */
  get isBusy(): boolean {
    return this.outbox.size > 0 || this.inbox.isBusy
  }

  /** Closes the connection once the client has read what it was sent. */
  end(): void {
    this.conn.close()
  }

  /** Closes the connection at once, discarding what has not been read. */
  terminate(): void {
    this.conn.close(true)
    webSocketOf(this.conn)?.terminate()
    // Polling requests first get the close message; those that do not read it either are cut.
    setTimeout(() => this.outbox.drop(), closeTimeoutMs).unref()
  }

  /**
   * Refuses a message over the size limit: answers the call that it begins, if the client waits for an answer, and closes the
   * WebSocket. (docs/spec/limits.md#sockets)
   */
  #refuseMessage(socket: WebSocket, start: string): void {
    const error = tooLarge(this.largestMessage)
    const [, namespace = '', id] = callHead.exec(start) ?? []
    if (id !== undefined) socket.send(`43${namespace}${id}[${this.options.describeError(error)}]`)
    socket.close(messageTooBig, error.message)
  }

  get #isIdle(): boolean {
    for (const { load } of this.#guests) if (load > 0) return false
    return true
  }

  /** Counts the memory of the connection for this namespace. */
  #charge({ holder }: Guest): void {
    this.outbox.charge(holder)
    this.inbox.charge(holder)
    this.#limitMessages()
  }

  #limitMessages(): void {
    limitMessages(this.conn, this.largestMessage)
  }

  /** Unauthenticated connections are closed after a while. */
  #closeIfIdle(): void {
    this.#idle = setTimeout(() => this.terminate(), this.options.sockets.namespaceTimeout * 1000)
    this.#idle.unref()
  }
}

/** The error for a message over the size limit in bytes. */
export function tooLarge(limit: number): ApiError {
  return new ApiError('invalid-request-structure', `The message is larger than the limit of ${limit} bytes`)
}
