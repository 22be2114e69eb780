/** A client of another thread or node that serves users: requests, responses and events over any kind of port. */
import type { Subscription } from '../../core/call/dispatcher.js'
import {
  fromSentError,
  type Operation,
  type Requests,
  type SentError,
  type WorkerEvents,
  type WorkerMessage,
  type WorkerRequest
} from './protocol.js'

/** Sends a request to the other side. */
type Post = (request: WorkerRequest) => void

interface Pending {
  // Each request knows the type of its response.
  // oxlint-disable-next-line no-explicit-any
  readonly resolve: (value: any) => void
  readonly reject: (error: Error) => void
}

export class Peer {
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  /** The error with which requests are rejected; set once the other side is gone. */
  #disconnectError: Error | undefined

  constructor(
    private readonly post: Post,
    private readonly events: WorkerEvents
  ) {}

  /** Number of requests without a response yet. */
  get pendingCount(): number {
    return this.#pending.size
  }

  /**
   * Sends a request; rejects with the error of the operation. Once the other side is gone, rejects with the
   * reason.
   */
  request<N extends Operation>(
    operation: N,
    ...args: Parameters<Requests[N]>
  ): Promise<Awaited<ReturnType<Requests[N]>>> {
    if (this.#disconnectError) return Promise.reject(this.#disconnectError)
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.post([id, operation, args])
      this.#pending.set(id, { resolve, reject })
    })
  }

  /** Sends a request without waiting for a response. What fails there is not reported here. */
  send<N extends Operation>(operation: N, ...args: Parameters<Requests[N]>): void {
    this.post([0, operation, args])
  }

  /** Returns the subscription that the other side has under this number. */
  getSubscription(id: number): Subscription {
    return {
      runMethod: (method, params) => this.request('subscribing', id, method, params),
      unsubscribe: () => this.send('leave', id)
    }
  }

  /** Handles a message of the other side. */
  receive(message: WorkerMessage): void {
    const [idOrEvent] = message
    if (typeof idOrEvent === 'string') {
      const [, args] = message as [keyof WorkerEvents, readonly unknown[]]
      ;(this.events[idOrEvent] as (...args: readonly unknown[]) => void)(...args)
      return
    }
    const pending = this.#pending.get(idOrEvent)
    this.#pending.delete(idOrEvent)
    const [, value, error] = message as [number, unknown, SentError | undefined]
    if (error) pending?.reject(fromSentError(error))
    else pending?.resolve(value)
  }

  /** Rejects all pending and future requests, because the other side is gone. */
  disconnect(reason: Error): void {
    this.#disconnectError = reason
    for (const pending of this.#pending.values()) pending.reject(reason)
    this.#pending.clear()
  }
}
