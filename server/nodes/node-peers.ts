/** Connections to the other nodes, over which this node sends requests. */
import { deserialize, serialize } from 'node:v8'
import type { Connection, ConnectionEvents, ConnectionLost } from '../../cluster/nodes/connection.js'
import type { Life } from '../../cluster/nodes/members.js'
import { ApiError } from '../../core/errors.js'
import { Peer } from '../workers/peer.js'
import type { WorkerEvents, WorkerMessage } from '../workers/protocol.js'
import { createUncertainError, createUnreachableError } from './unavailable-errors.js'

/** Connects to another node. */
type OpenConnection = (remote: Life, events: ConnectionEvents) => Pick<Connection, 'hasRoom' | 'post'>

/** The response of a node that does not serve the user. */
export const servedElsewhere = 'elsewhere'

/** Handlers for events of subscriptions that this node has at other nodes. */
export type SubscriptionEvents = Pick<WorkerEvents, 'notify' | 'unsubscribed'> & {
  /** The node that had the subscriptions is lost. */
  onNodeLost(remote: Life): void
}

interface ConnectedPeer {
  readonly peer: Peer
  readonly connection: Pick<Connection, 'hasRoom' | 'post'>
}

/** Time for which an unreachable node is not contacted again, in milliseconds. */
const reconnectDelayMs = 250

export class NodePeers {
  readonly #peers = new Map<string, ConnectedPeer>()
  readonly #unreachableUntil = new Map<string, number>()

  constructor(
    private readonly open: OpenConnection,
    private readonly events: SubscriptionEvents,
    private readonly callsInFlight: number
  ) {}

  /**
   * Returns the peer for a node. Throws `api-unavailable` if it is unreachable or overloaded. Connects to the
   * node if necessary.
   */
  getPeer(life: Life): Peer {
    const key = getKey(life)
    if (performance.now() < (this.#unreachableUntil.get(key) ?? 0)) throw createUnreachableError()
    let connected = this.#peers.get(key)
    if (!connected) this.#peers.set(key, (connected = this.#connect(key, life)))
    // Beyond this, clients would time out before their call is made.
    if (connected.peer.pendingCount >= this.callsInFlight || !connected.connection.hasRoom)
      throw new ApiError('api-unavailable', 'Too many calls at the moment. Try again', {
        retryAfter: 1
      })
    return connected.peer
  }

  /**
   * Opens the connection to a node. If it is lost, its pending requests fail, and the node counts as unreachable for
   * a while unless it had answered.
   */
  #connect(key: string, life: Life): ConnectedPeer {
    const { events } = this
    const peer = new Peer(request => connection.post(serialize(request)), {
      ...ignoredEvents,
      notify: (...args) => events.notify(...args),
      unsubscribed: id => events.unsubscribed(id)
    })
    const connection = this.open(life, {
      receive: message => peer.receive(deserialize(message) as WorkerMessage),
      onLost: (reason: ConnectionLost) => {
        this.#peers.delete(key)
        if (!reason.hasArrived) this.#unreachableUntil.set(key, performance.now() + reconnectDelayMs)
        peer.disconnect(reason.hasArrived ? createUncertainError(reason) : createUnreachableError(reason))
        events.onNodeLost(life)
      },
      isWaiting: () => peer.pendingCount > 0
    })
    return { peer, connection }
  }
}

function getKey({ incarnation, node }: Life): string {
  return `${node} ${incarnation}`
}

const ignore = (): void => {}

/** Events that worker threads emit and nodes do not. */
const ignoredEvents: WorkerEvents = {
  ready: ignore,
  fatal: ignore,
  notify: ignore,
  unsubscribed: ignore,
  log: ignore,
  forward: ignore,
  throttled: ignore,
  forget: ignore
}
