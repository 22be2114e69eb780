/** All connections of a node: those that it has opened to ask others, and those that others have opened to ask it. */
import { randomUUID } from 'node:crypto'
import { batchMark, decodeBatch, type BatchHead } from './batch.js'
import {
  Connection,
  ConnectionLost,
  unknownReply,
  type ConnectionEvents,
  type ConnectionOptions
} from './connection.js'
import type { Engine } from '../engine.js'
import type { Life } from './members.js'

export interface ConnectionsOptions extends ConnectionOptions {
  readonly engine: Pick<Engine, 'handle' | 'maxBytes' | 'send'>
  /** The life of this node at present; incarnation 0 for none. */
  getOwnLife(): Life
  /** Another node asks: returns who is to hear of its messages. */
  accept(connection: Pick<Connection, 'hasRoom' | 'post'>, remote: Life): ConnectionEvents
  /** Answers a message that belongs to no connection. */
  control(message: Buffer): Promise<Uint8Array>
}

export class Connections {
  /** By session. */
  readonly #outgoing = new Map<string, Connection>()
  readonly #incoming = new Map<string, Connection>()
  readonly #stopHandling: () => void
  #isClosing = false

  constructor(private readonly options: ConnectionsOptions) {
    this.#stopHandling = options.engine.handle(options.getOwnLife().node, message => this.#receive(message))
  }

  /** Connects to another node. */
  open(remote: Life, events: ConnectionEvents): Connection {
    const session = randomUUID()
    const lost = (reason: ConnectionLost): void => {
      this.#outgoing.delete(session)
      events.onLost(reason)
    }
    const connection = new Connection(this.options, this.options.getOwnLife(), remote, session, false, {
      ...events,
      onLost: lost
    })
    this.#outgoing.set(session, connection)
    return connection
  }

  /** Ends the connections with lives that have ended; all of them by default. */
  closeEnded(hasEnded: (life: Life) => boolean = () => true): void {
    for (const connection of [...this.#outgoing.values(), ...this.#incoming.values()])
      if (hasEnded(connection.remote)) connection.close(new ConnectionLost(true))
  }

  /** Ends all connections. What others have asked is answered first, if that takes no longer than `resendMs`. */
  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all(Array.from(this.#incoming.values(), async connection => await connection.leave()))
    this.#stopHandling()
    this.closeEnded()
  }

  async #receive(message: Uint8Array): Promise<Uint8Array> {
    if (message[0] !== batchMark) return await this.options.control(Buffer.from(message))
    const { head, parts } = decodeBatch(message)
    const connection = this.#findConnection(head)
    return connection ? connection.take(head, parts) : unknownReply
  }

  #findConnection(head: BatchHead): Connection | undefined {
    const own = this.options.getOwnLife()
    if (head.to !== own.incarnation) return undefined
    if (head.isBack) return this.#outgoing.get(head.session)
    const existing = this.#incoming.get(head.session)
    if (existing || head.number !== 1 || this.#isClosing) return existing
    return this.#accept(head, own)
  }

  #accept({ from, session }: BatchHead, own: Life): Connection {
    // What the other side posts while it is being set up comes afterwards.
    let connection!: Connection
    const events = this.options.accept(
      {
        get hasRoom() {
          return connection.hasRoom
        },
        post: bytes => connection.post(bytes)
      },
      from
    )
    connection = new Connection(this.options, own, from, session, true, {
      ...events,
      onLost: reason => {
        this.#incoming.delete(session)
        events.onLost(reason)
      }
    })
    this.#incoming.set(session, connection)
    return connection
  }
}
