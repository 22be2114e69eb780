/** One connection, whatever namespaces are joined on it: what it may cost, what it may hold, when it is cut. */
import type { Settings } from '../../core/settings/settings.js'
import type { Holder } from './backlog.js'
import type { Place } from './handshakes.js'
import { Inbox } from './inbox.js'
import {
  bePolledWithin,
  decodePayloadsBy,
  limitMessages,
  triedOut,
  webSocketOf,
  type Conn
} from './insides.js'
import { Outbox } from './outbox.js'
import { inBounds } from './polling.js'

/** The largest message of a stranger: a token for each of some namespaces. */
export const strangerMessageBytes = 16 * 1024
/** Namespaces that may be open, and attempts at some that may have failed, or wait. */
const namespacesAtOnce = 1000
const attempts = 200
/** A client tries out a WebSocket once; and has so long, in milliseconds, to fetch the news that its connection ends. */
const trials = 10
const farewellMs = 5000

/** What is open on a connection. */
export interface Guest {
  readonly holder: Holder
  /** Calls that wait or run. */
  readonly load: number
}

export interface ConnectionOptions {
  readonly place: Place
  readonly bodyBytes: number
  readonly sockets: Pick<Settings['sockets'], 'maxPendingBytes' | 'namespaceTimeout'>
  /** Told when there is something to watch: see {@link Connection.hasStalled}. */
  readonly begun: () => void
}

export class Connection {
  /** Characters that have come and are not decoded; known once there is a namespace. */
  undecoded: () => number = () => 0
  readonly outbox: Outbox
  readonly inbox: Inbox
  readonly #guests = new Set<Guest>()
  #attempts = 0
  #trials = 0
  #idle: NodeJS.Timeout | undefined

  constructor(
    private readonly conn: Conn,
    private readonly options: ConnectionOptions
  ) {
    const { begun, place, sockets } = options
    const giveUp = (): void => this.terminate()
    this.outbox = new Outbox(conn, { begun, giveUp, eased: () => this.inbox.ease() })
    this.inbox = new Inbox(conn, {
      begun,
      giveUp,
      most: sockets.maxPendingBytes,
      isIdle: () => this.#isIdle && !this.outbox.isSlow,
      undecoded: () => this.undecoded()
    })
    place.evict = giveUp
    conn.on('close', () => {
      clearTimeout(this.#idle)
      place.leave()
    })
    conn.on('upgrading', (transport: unknown) => {
      if (++this.#trials > trials) triedOut(transport)?.terminate()
    })
    conn.on('upgrade', () => this.#limitMessages())
    if (!webSocketOf(conn)) {
      decodePayloadsBy(conn, inBounds)
      bePolledWithin(conn, farewellMs)
    }
    this.#limitMessages()
    this.#expect()
  }

  /** The size of the largest message that is read. */
  get largestMessage(): number {
    return this.#guests.size > 0 ? this.options.bodyBytes : strangerMessageBytes
  }

  /** Notes an attempt to join a namespace; answers whether there may be another one. */
  tries(): boolean {
    return ++this.#attempts <= attempts && this.#guests.size < namespacesAtOnce
  }

  /** Notes that a user's namespace has been joined, or left. */
  joined(guest: Guest): void {
    this.#attempts--
    this.#guests.add(guest)
    clearTimeout(this.#idle)
    if (this.#guests.size > 1) return
    this.options.place.admitted()
    this.#charge(guest)
  }

  left(guest: Guest): void {
    this.#guests.delete(guest)
    const [other] = this.#guests
    if (other) this.#charge(other)
    else if (this.conn.readyState === 'open') {
      this.inbox.charge(undefined)
      this.#limitMessages()
      this.options.place.estranged()
      this.#expect()
    }
  }

  get hasOthers(): boolean {
    return this.#guests.size > 0
  }

  /** Whether its client has taken next to nothing, or not ended a large message, for too long. */
  hasStalled(now: number, limits: Settings['limits']): boolean {
    return this.outbox.hasStalled(now, limits) || this.inbox.hasStalled(now, limits.bodyTimeout)
  }

  /** Whether anything is under way that could stall. */
  get isBusy(): boolean {
    return this.outbox.size > 0 || this.inbox.isBusy
  }

  /** Closes once the client has fetched what it was sent. */
  end(): void {
    this.conn.close()
  }

  /** Closes at once: what has not been taken is gone. */
  terminate(): void {
    this.conn.close(true)
    webSocketOf(this.conn)?.terminate()
    // Requests are told of the end; who does not take that either is cut.
    setTimeout(() => this.outbox.drop(), farewellMs).unref()
  }

  get #isIdle(): boolean {
    for (const { load } of this.#guests) if (load > 0) return false
    return true
  }

  /** What it holds counts as the guest's. */
  #charge({ holder }: Guest): void {
    this.outbox.charge(holder)
    this.inbox.charge(holder)
    this.#limitMessages()
  }

  #limitMessages(): void {
    limitMessages(this.conn, this.largestMessage)
  }

  /** Who shows no token holds no connection for long. */
  #expect(): void {
    this.#idle = setTimeout(() => this.terminate(), this.options.sockets.namespaceTimeout * 1000)
    this.#idle.unref()
  }
}
