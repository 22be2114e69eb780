/** Somebody else who serves users, as the one who asks sees them: requests, responses and events over any kind of port. */
import type { Subscription } from '../../core/call/dispatcher.js'
import {
  receivedError,
  type Operation,
  type Operations,
  type SentError,
  type WorkerEvents,
  type WorkerMessage,
  type WorkerRequest
} from './protocol.js'

/** Sends requests to the other side: another thread, or another machine. */
export type Post = (request: WorkerRequest) => void

interface Pending {
  // Each request knows the type of its response.
  // oxlint-disable-next-line no-explicit-any
  readonly resolve: (value: any) => void
  readonly reject: (error: Error) => void
}

export class Peer {
  readonly #waiting = new Map<number, Pending>()
  #last = 0
  /** Why it cannot be asked any more. */
  #end: Error | undefined

  constructor(
    private readonly post: Post,
    private readonly events: WorkerEvents
  ) {}

  /** Number of requests without a response yet. */
  get load(): number {
    return this.#waiting.size
  }

  /** Sends a request; rejects with the error of the operation. */
  ask<N extends Operation>(
    operation: N,
    ...args: Parameters<Operations[N]>
  ): Promise<Awaited<ReturnType<Operations[N]>>> {
    // There is nobody left to respond.
    if (this.#end) return Promise.reject(this.#end)
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.post([id, operation, args])
      this.#waiting.set(id, { resolve, reject })
    })
  }

  /** Sends a request without waiting for a response. */
  tell<N extends Operation>(operation: N, ...args: Parameters<Operations[N]>): void {
    this.post([0, operation, args])
  }

  /** The subscription that the other side has by this number. */
  subscription(id: number): Subscription {
    return {
      subscribing: (method, params) => this.ask('subscribing', id, method, params),
      leave: () => this.tell('leave', id)
    }
  }

  /** To be called with each message of the other side. */
  receive(message: WorkerMessage): void {
    const [idOrEvent] = message
    if (typeof idOrEvent === 'string') {
      const [, args] = message as [keyof WorkerEvents, readonly unknown[]]
      ;(this.events[idOrEvent] as (...args: readonly unknown[]) => void)(...args)
      return
    }
    const waiting = this.#waiting.get(idOrEvent)
    this.#waiting.delete(idOrEvent)
    const [, value, error] = message as [number, unknown, SentError | undefined]
    if (error) waiting?.reject(receivedError(error))
    else waiting?.resolve(value)
  }

  /** To be called when the other side is gone: rejects what it has been asked, and all that follows. */
  gone(reason: Error): void {
    this.#end = reason
    for (const waiting of this.#waiting.values()) waiting.reject(reason)
    this.#waiting.clear()
  }
}
