/** All connections of a node: those that it has opened, and those that other nodes have opened. */
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
  /** Returns the current life of this node; its incarnation is 0 before the first life. */
  getOwnLife(): Life
  /** Another node connects: returns the receiver of its messages. */
  accept(connection: Pick<Connection, 'hasRoom' | 'post'>, remote: Life): ConnectionEvents
  /** Handles a message that belongs to no connection. */
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

  /** Connects to another node. Never fails at once: a node that cannot be reached is reported by `onLost`. */
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

  /** Closes the connections with lives that have ended; by default closes all connections. */
  closeEnded(hasEnded: (life: Life) => boolean = () => true): void {
    for (const connection of [...this.#outgoing.values(), ...this.#incoming.values()])
      if (hasEnded(connection.remote)) connection.close(new ConnectionLost(true))
  }

  /** Closes all connections. Requests of other nodes are answered first, for at most `resendMs`. */
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

  /** Returns the connection of a batch, which the first batch opens; `undefined` if this node knows no such connection. */
  #findConnection(head: BatchHead): Connection | undefined {
    const own = this.options.getOwnLife()
    if (head.to !== own.incarnation) return undefined
    if (head.isBack) return this.#outgoing.get(head.session)
    const existing = this.#incoming.get(head.session)
    if (existing || head.number !== 1 || this.#isClosing) return existing
    return this.#accept(head, own)
  }

  /** Creates the connection that another node has begun. */
  #accept({ from, session }: BatchHead, own: Life): Connection {
    // What the other side posts during the setup is processed afterwards.
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
