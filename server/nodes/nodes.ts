/** The core of a cluster as a node's transports see it: calls go to whichever node serves the user. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Shards } from '../../cluster/nodes/shards.js'
import type { Durations } from '../../cluster/tally.js'
import type { SharedAttachments } from '../../cluster/objects/shared-attachments.js'
import type { Admittance, Dispatcher, SharedServices } from '../../core/call/dispatcher.js'
import type { AnyMethod } from '../../core/call/method.js'
import {
  failureOf,
  type Failure,
  type Outcome,
  type Request,
  type UploadedFile
} from '../../core/call/outcome.js'
import { ApiError } from '../../core/errors.js'
import type { Registry } from '../../core/dispatch/registry.js'
import { addresseeOf } from '../workers/addressee.js'
import type { Peer } from '../workers/peer.js'
import { receivedFailure, sentRequest } from '../workers/protocol.js'
import { callOver } from '../workers/remote-calls.js'
import type { LocalCalls } from './local-calls.js'
import { elsewhere, type NodePeers } from './node-peers.js'
import { maxMoveWaitMs, type ShardOwnership } from './shard-ownership.js'
import { unreachable } from './unreachable.js'

export interface NodesOptions {
  readonly registry: Registry
  readonly calls: LocalCalls
  readonly peers: NodePeers
  readonly ownership: ShardOwnership
  readonly shards: Pick<Shards, 'refresh'>
  readonly files: Pick<SharedAttachments, 'fetchLent' | 'discard' | 'lend'>
  /** Counts calls that another node is asked for. */
  readonly forwarded: Pick<Durations, 'add'>
}

/** Longest time for which the one who serves a user is looked for, in milliseconds: a move may have to be waited for meanwhile. */
const searchMs = maxMoveWaitMs + 2000
const pauseMs = 25

export class Nodes implements Dispatcher {
  readonly services: SharedServices
  readonly definitions: readonly AnyMethod[]
  /** A look at the registers that is under way: many may want one at the same time. */
  #looking: Promise<void> | undefined

  constructor(private readonly options: NodesOptions) {
    const { registry } = options
    this.definitions = registry.definitions
    this.services = {
      ...registry.services,
      previews: {
        bytes: async (account, preview) =>
          await this.asked(
            account.username,
            async () => await registry.services.previews.bytes(account, preview),
            async peer => Buffer.from(await peer.ask('previewBytes', account, preview))
          )
      }
    }
  }

  call(request: Request): Promise<Outcome> | Outcome {
    const { calls, ownership } = this.options
    const username = addresseeOf(request)
    if (username === undefined && !ownership.isCertain && !this.#isRead(request.method))
      return this.#failure(unreachable(), request)
    return this.#isHere(username) ? calls.call(request) : this.forward(username!, request)
  }

  precheck(request: Omit<Request, 'params'>): Promise<Admittance | Failure> | Admittance | Failure {
    const { calls } = this.options
    if (this.#isHere(request.user)) return calls.precheck(request)
    return this.#checked<Admittance | Failure>(
      request,
      () => calls.precheck(request),
      async peer => {
        const checked = await peer.ask('precheck', sentRequest(this.services.config, request))
        if ((checked as unknown) === elsewhere) return elsewhere
        return checked.ok ? checked : receivedFailure(checked)
      }
    )
  }

  recheck(request: Request): Promise<Failure | undefined> | Failure | undefined {
    const { calls } = this.options
    if (this.#isHere(request.user)) return calls.recheck(request)
    return this.#checked<Failure | undefined>(
      request,
      () => calls.recheck(request),
      async peer => {
        const refusal = await peer.ask('recheck', sentRequest(this.services.config, request))
        if ((refusal as unknown) === elsewhere) return elsewhere
        return refusal && receivedFailure(refusal)
      }
    )
  }

  /** Makes a call where a user is served, for a method that runs here. */
  async forward(username: string, request: Request): Promise<Outcome> {
    const { calls } = this.options
    try {
      return await this.asked<Outcome>(
        username,
        () => calls.call(request),
        peer => this.#sent(peer, request)
      )
    } catch (error) {
      return this.#failure(error, request)
    }
  }

  /**
   * Does something here or asks the other node, whoever serves a user. Whoever is asked and does not serve it has done
   * nothing. Rejects with `api-unavailable` where nobody is found, and with the errors of both.
   */
  async asked<T>(
    username: string,
    here: () => Promise<T> | T,
    there: (peer: Peer) => Promise<T | typeof elsewhere>
  ): Promise<T> {
    const { peers, ownership } = this.options
    const endMs = performance.now() + searchMs
    for (;;) {
      // A request may have waited for as long as this process was frozen. (cluster/nodes/lease.ts)
      if (!ownership.isCertain) throw unreachable()
      await ownership.waitUntilMoved(username)
      if (ownership.isOwned(username)) return await here()
      const owner = ownership.findOwner(username)
      if (!owner) throw unreachable()
      try {
        const answer = await there(peers.of(owner))
        if (answer !== elsewhere) return answer
        if (performance.now() > endMs) throw unreachable()
        await this.#look()
      } catch (error) {
        // A node that leaves has given its users to others.
        if (!isUndone(error) || performance.now() > endMs) throw error
        await this.#look()
        if (ownership.findOwner(username) === owner) throw error
      }
    }
  }

  #isHere(username: string | undefined): boolean {
    return username === undefined || this.options.ownership.isOwned(username)
  }

  #failure(error: unknown, { method }: Pick<Request, 'method'>): Failure {
    return failureOf(this.services.log, error, method)
  }

  async #sent(peer: Peer, request: Request): Promise<Outcome | typeof elsewhere> {
    const lent: UploadedFile[] = []
    const beganMs = performance.now()
    try {
      for (const file of request.files ?? [])
        lent.push({ ...file, received: await this.options.files.lend(file.received) })
      const sent = request.files ? { ...request, files: lent } : request
      const outcome = await callOver<typeof elsewhere>(peer, this.services.config, sent)
      return outcome === elsewhere ? elsewhere : await this.#withDraft(outcome)
    } catch (error) {
      throw this.#isRead(request.method) ? again(error) : error
    } finally {
      this.options.forwarded.add(performance.now() - beganMs)
      // Those that are in their place are gone already. What cannot be removed now goes when this node starts again.
      for (const { received } of lent) await this.options.files.discard(received).catch(() => undefined)
    }
  }

  /** Has the copy here that is to be sent. */
  async #withDraft(outcome: Outcome): Promise<Outcome> {
    if (!outcome.ok || outcome.facts?.draft === undefined) return outcome
    return {
      ...outcome,
      facts: { ...outcome.facts, draft: await this.options.files.fetchLent(outcome.facts.draft) }
    }
  }

  /** Checks a call wherever its user is served. Never rejects. */
  async #checked<T>(
    request: Omit<Request, 'params'>,
    here: () => Promise<T> | T,
    there: (peer: Peer) => Promise<T | typeof elsewhere>
  ): Promise<T | Failure> {
    try {
      return await this.asked(request.user ?? '', here, there)
    } catch (error) {
      return this.#failure(again(error), request)
    }
  }

  #isRead(method: string): boolean {
    try {
      return this.options.registry.stages.find(method).definition.mode === 'read'
    } catch {
      return true
    }
  }

  async #look(): Promise<void> {
    this.#looking ??= wait(pauseMs)
      .then(() => this.options.shards.refresh())
      .catch(() => undefined)
      .finally(() => (this.#looking = undefined))
    await this.#looking
  }
}

/** Whether an error says that nothing has been done. (docs/spec/errors.md#retrying) */
function isUndone(error: unknown): boolean {
  return error instanceof ApiError && error.id === 'api-unavailable' && error.details.retryAfter !== undefined
}

/** A read whose answer was lost may be tried again. */
function again(error: unknown): unknown {
  return error instanceof ApiError && error.id === 'api-unavailable' && error.details.retryAfter === undefined
    ? unreachable(error)
    : error
}
