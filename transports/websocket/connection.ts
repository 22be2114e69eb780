/** A connection with all namespaces joined on it: its limits, and when it is closed. */
import type { WebSocket } from 'ws'
import { ApiError } from '../../core/errors.js'
import type { Settings } from '../../core/settings/settings.js'
import type { BacklogShare } from './backlog.js'
import type { Slot } from './connection-slots.js'
import { Inbox } from './inbox.js'
import {
  setCloseTimeout,
  wrapPayloadParser,
  isJsonp,
  limitMessages,
  getUpgradeSocket,
  getWebSocket,
  type Conn
} from './internals.js'
import { Outbox } from './outbox.js'
import { limitPackets } from './polling.js'

/** Largest message before authentication, in bytes: it contains tokens of a few namespaces. */
export const maxUnauthenticatedMessageBytes = 16 * 1024
/** Largest message of a JSONP client, in bytes. It escapes line ends, each of which takes as long as a kilobyte of other text. */
const maxJsonpMessageBytes = 256 * 1024
/** Limits for open namespaces, and for failed or pending attempts to join a namespace. */
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
const callHeadPattern = /^42(\/[^,]*,)?(\d+)\[/

/** A joined namespace. */
export interface JoinedNamespace {
  readonly share: BacklogShare
  /** Number of calls that wait or run. */
  readonly pendingCount: number
  /** Called when the connection is closed, unless the client has left the namespace before. */
  leave(): void
}

interface ConnectionOptions {
  readonly slot: Slot
  readonly bodyBytes: number
  readonly sockets: Pick<Settings['sockets'], 'maxPendingBytes' | 'namespaceTimeout'>
  /** Called when something is in progress that could stall: see {@link Connection.hasStalled}. */
  readonly onActivity: () => void
  /** Returns the response of a call that fails with this error. */
  readonly describeError: (error: ApiError) => string
}

export class Connection {
  /** Returns the characters received and not yet decoded; set once a namespace has been joined. */
  undecoded: () => number = () => 0
  readonly outbox: Outbox
  readonly inbox: Inbox
  readonly #namespaces = new Set<JoinedNamespace>()
  #attempts = 0
  #upgradeAttempts = 0
  #idleTimer: NodeJS.Timeout | undefined

  constructor(
    private readonly conn: Conn,
    private readonly options: ConnectionOptions
  ) {
    const { onActivity, slot, sockets } = options
    const terminate = (): void => this.terminate()
    this.outbox = new Outbox(conn, { onActivity, terminate, onEased: () => this.inbox.resumeIfSettled() })
    this.inbox = new Inbox(conn, {
      onActivity,
      terminate,
      maxPendingBytes: sockets.maxPendingBytes,
      isIdle: () => this.#isIdle && !this.outbox.isSlow,
      undecoded: () => this.undecoded(),
      refuse: (socket, start) => this.#refuseMessage(socket, start)
    })
    slot.evict = terminate
    conn.on('close', () => {
      clearTimeout(this.#idleTimer)
      slot.release()
      // Socket.IO does not notify namespaces that were still being connected.
      for (const namespace of this.#namespaces) namespace.leave()
    })
    conn.on('upgrading', (transport: unknown) => {
      if (++this.#upgradeAttempts > maxUpgradeAttempts) getUpgradeSocket(transport)?.terminate()
    })
    conn.on('upgrade', () => this.#limitMessages())
    if (!getWebSocket(conn)) {
      wrapPayloadParser(conn, limitPackets)
      setCloseTimeout(conn, closeTimeoutMs)
    }
    this.#limitMessages()
    this.#closeIfIdle()
  }

  /** Size of the largest message that is accepted. */
  get maxMessageBytes(): number {
    const { bodyBytes } = this.options
    if (this.#namespaces.size === 0) return maxUnauthenticatedMessageBytes
    return isJsonp(this.conn) ? Math.min(bodyBytes, maxJsonpMessageBytes) : bodyBytes
  }

  /** Counts an attempt to join a namespace; returns whether it is allowed. */
  countAttempt(): boolean {
    return ++this.#attempts <= maxAttempts && this.#namespaces.size < maxNamespaces
  }

  /** Registers a joined namespace of a user. */
  addNamespace(namespace: JoinedNamespace): void {
    this.#attempts--
    this.#namespaces.add(namespace)
    clearTimeout(this.#idleTimer)
    if (this.#namespaces.size > 1) return
    this.options.slot.markAuthenticated()
    this.#charge(namespace)
  }

  /**
   * Removes a namespace that was left. A connection without any counts as unauthenticated again, and is closed if it
   * stays idle.
   */
  removeNamespace(namespace: JoinedNamespace): void {
    this.#namespaces.delete(namespace)
    // What a connection that closes still holds counts for the released share, until it is gone.
    if (this.conn.readyState !== 'open') return
    const [other] = this.#namespaces
    if (other) this.#charge(other)
    else {
      this.inbox.charge(undefined)
      this.#limitMessages()
      this.options.slot.markUnauthenticated()
      this.#closeIfIdle()
    }
  }

  /** True if a user is authenticated on the connection. */
  get hasNamespaces(): boolean {
    return this.#namespaces.size > 0
  }

  /** Returns whether the client has read hardly anything, or has not finished sending a large message, for too long. */
  hasStalled(now: number, limits: Settings['limits']): boolean {
    return this.outbox.hasStalled(now, limits) || this.inbox.hasStalled(now, limits.bodyTimeout)
  }

  /** True if anything is in progress that could stall. */
  get isBusy(): boolean {
    return this.outbox.size > 0 || this.inbox.isBusy
  }

  /** Closes the connection once the client has read what it was sent. */
  end(): void {
    this.conn.close()
  }

  /** Closes the connection immediately, and discards what has not been read. */
  terminate(): void {
    this.conn.close(true)
    getWebSocket(this.conn)?.terminate()
    // Polling clients first get the close message; if they do not read it, their responses are destroyed.
    setTimeout(() => this.outbox.destroyResponses(), closeTimeoutMs).unref()
  }

  /**
   * Refuses a message over the size limit: responds to the call at its start, if the client waits for a response, and closes
   * the WebSocket. (docs/spec/limits.md#sockets)
   */
  #refuseMessage(socket: WebSocket, start: string): void {
    const error = createTooLargeError(this.maxMessageBytes)
    const [, namespace = '', id] = callHeadPattern.exec(start) ?? []
    if (id !== undefined) socket.send(`43${namespace}${id}[${this.options.describeError(error)}]`)
    socket.close(messageTooBig, error.message)
  }

  get #isIdle(): boolean {
    for (const { pendingCount } of this.#namespaces) if (pendingCount > 0) return false
    return true
  }

  /** Charges the memory of the connection to this namespace. */
  #charge({ share }: JoinedNamespace): void {
    this.outbox.charge(share)
    this.inbox.charge(share)
    this.#limitMessages()
  }

  #limitMessages(): void {
    limitMessages(this.conn, this.maxMessageBytes)
  }

  /** Unauthenticated connections are closed after a while. */
  #closeIfIdle(): void {
    this.#idleTimer = setTimeout(() => this.terminate(), this.options.sockets.namespaceTimeout * 1000)
    this.#idleTimer.unref()
  }
}

/** Returns the error for a message over the limit in bytes. */
export function createTooLargeError(limit: number): ApiError {
  return new ApiError('invalid-request-structure', `The message is larger than the limit of ${limit} bytes`)
}
