/** The other nodes, as this one asks them. */
import { deserialize, serialize } from 'node:v8'
import type { Connection, ConnectionEvents, ConnectionLost } from '../../cluster/nodes/connection.js'
import type { Life } from '../../cluster/nodes/members.js'
import { ApiError } from '../../core/errors.js'
import { Peer } from '../workers/peer.js'
import type { Operation, Operations, WorkerEvents, WorkerMessage } from '../workers/protocol.js'
import { uncertain, unreachable } from './unreachable.js'

/** Connects to another node. */
export type Open = (remote: Life, events: ConnectionEvents) => Pick<Connection, 'hasRoom' | 'post'>

/** What the answer is when whoever is asked does not serve the user. */
export const elsewhere = 'elsewhere'

/** What others tell about subscriptions that this node has asked for. */
export type SubscriptionEvents = Pick<WorkerEvents, 'notify' | 'unsubscribed'> & {
  /** Whoever had the subscriptions is gone. */
  lost(remote: Life): void
}

interface Known {
  readonly peer: Peer
  readonly connection: Pick<Connection, 'hasRoom' | 'post'>
}

/** Time for which a node is not asked again that could not be reached, in milliseconds. */
const restMs = 250

export class NodePeers {
  readonly #known = new Map<string, Known>()
  readonly #unreached = new Map<string, number>()

  constructor(
    private readonly open: Open,
    private readonly events: SubscriptionEvents,
    private readonly callsInFlight: number
  ) {}

  /** The node to ask. Throws `api-unavailable` where nothing can be asked at present. */
  of(life: Life): Peer {
    const key = keyOf(life)
    if (performance.now() < (this.#unreached.get(key) ?? 0)) throw unreachable()
    let known = this.#known.get(key)
    if (!known) this.#known.set(key, (known = this.#connect(key, life)))
    // Beyond this, clients would time out before their call is made.
    if (known.peer.load >= this.callsInFlight || !known.connection.hasRoom)
      throw new ApiError('api-unavailable', 'Too many calls at the moment. Try again', {
        retryAfter: 1
      })
    return known.peer
  }

  /** Asks a node. Rejects with the error of the operation, or `api-unavailable` if the node is lost. */
  async ask<N extends Operation>(
    life: Life,
    operation: N,
    ...args: Parameters<Operations[N]>
  ): Promise<Awaited<ReturnType<Operations[N]>> | typeof elsewhere> {
    return await this.of(life).ask(operation, ...args)
  }

  #connect(key: string, life: Life): Known {
    const { events } = this
    const peer = new Peer(request => connection.post(serialize(request)), {
      ...silent,
      notify: (...args) => events.notify(...args),
      unsubscribed: id => events.unsubscribed(id)
    })
    const connection = this.open(life, {
      receive: message => peer.receive(deserialize(message) as WorkerMessage),
      onLost: (reason: ConnectionLost) => {
        this.#known.delete(key)
        if (!reason.hasArrived) this.#unreached.set(key, performance.now() + restMs)
        peer.gone(reason.hasArrived ? uncertain(reason) : unreachable(reason))
        events.lost(life)
      },
      isWaiting: () => peer.load > 0
    })
    return { peer, connection }
  }
}

function keyOf({ incarnation, node }: Life): string {
  return `${node} ${incarnation}`
}

const nothing = (): void => {}

/** What threads tell, and nodes do not. */
const silent: WorkerEvents = {
  ready: nothing,
  fatal: nothing,
  notify: nothing,
  unsubscribed: nothing,
  log: nothing,
  forward: nothing,
  throttled: nothing,
  forget: nothing
}
