/** All connections of a node: those that it has opened to ask others, and those that others have opened to ask it. */
import { randomUUID } from 'node:crypto'
import { batchMark, decodeBatch, type BatchHead } from './batch.js'
import {
  Connection,
  ConnectionLost,
  unknown,
  type ConnectionEvents,
  type ConnectionOptions
} from './connection.js'
import type { Engine } from '../engine.js'
import type { Life } from './members.js'

export interface ConnectionsOptions extends ConnectionOptions {
  readonly engine: Pick<Engine, 'answer' | 'maxBytes' | 'send'>
  /** The life of this node at present; incarnation 0 for none. */
  own(): Life
  /** Another node asks: returns who is to hear of its messages. */
  accept(connection: Pick<Connection, 'hasRoom' | 'post'>, remote: Life): ConnectionEvents
  /** Answers a message that belongs to no connection. */
  control(message: Buffer): Promise<Uint8Array>
}

export class Connections {
  /** By session. */
  readonly #asking = new Map<string, Connection>()
  readonly #answering = new Map<string, Connection>()
  readonly #unanswer: () => void
  #isClosing = false

  constructor(private readonly options: ConnectionsOptions) {
    this.#unanswer = options.engine.answer(options.own().node, message => this.#take(message))
  }

  /** Connects to another node. */
  open(remote: Life, events: ConnectionEvents): Connection {
    const session = randomUUID()
    const lost = (reason: ConnectionLost): void => {
      this.#asking.delete(session)
      events.lost(reason)
    }
    const connection = new Connection(this.options, this.options.own(), remote, session, false, {
      ...events,
      lost
    })
    this.#asking.set(session, connection)
    return connection
  }

  /** Ends the connections with lives that have ended; all of them by default. */
  drop(hasEnded: (life: Life) => boolean = () => true): void {
    for (const connection of [...this.#asking.values(), ...this.#answering.values()])
      if (hasEnded(connection.remote)) connection.close(new ConnectionLost(true))
  }

  /** Ends all connections. What others have asked is answered first, if that takes no longer than `resendMs`. */
  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all(Array.from(this.#answering.values(), async connection => await connection.leave()))
    this.#unanswer()
    this.drop()
  }

  async #take(message: Uint8Array): Promise<Uint8Array> {
    if (message[0] !== batchMark) return await this.options.control(Buffer.from(message))
    const { head, parts } = decodeBatch(message)
    const connection = this.#connectionOf(head)
    return connection ? connection.take(head, parts) : unknown
  }

  #connectionOf(head: BatchHead): Connection | undefined {
    const own = this.options.own()
    if (head.to !== own.incarnation) return undefined
    if (head.isBack) return this.#asking.get(head.session)
    const known = this.#answering.get(head.session)
    if (known || head.number !== 1 || this.#isClosing) return known
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
      lost: reason => {
        this.#answering.delete(session)
        events.lost(reason)
      }
    })
    this.#answering.set(session, connection)
    return connection
  }
}
