/** Dispatches the calls that a node receives to the nodes that serve their users. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Shards } from '../../cluster/nodes/shards.js'
import type { Durations } from '../../cluster/tally.js'
import type { SharedAttachments } from '../../cluster/objects/shared-attachments.js'
import type { PrecheckResult, Dispatcher, SharedServices } from '../../core/call/dispatcher.js'
import type { AnyMethod } from '../../core/call/method.js'
import {
  toFailure,
  type Failure,
  type Outcome,
  type Request,
  type UploadedFile
} from '../../core/call/outcome.js'
import { ApiError } from '../../core/errors.js'
import type { Registry } from '../../core/dispatch/registry.js'
import { getCalledUser } from '../workers/called-user.js'
import type { Peer } from '../workers/peer.js'
import { fromSentFailure, toSentRequest } from '../workers/protocol.js'
import { callPeer } from '../workers/remote-calls.js'
import type { LocalCalls } from './local-calls.js'
import { servedElsewhere, type NodePeers } from './node-peers.js'
import { maxMoveWaitMs, type ShardOwnership } from './shard-ownership.js'
import { createUnreachableError } from './unavailable-errors.js'

interface ClusterDispatcherOptions {
  readonly registry: Registry
  readonly calls: LocalCalls
  readonly peers: NodePeers
  readonly ownership: ShardOwnership
  readonly shards: Pick<Shards, 'refresh'>
  readonly files: Pick<SharedAttachments, 'fetchLent' | 'discard' | 'lend'>
  /** Durations of calls that are forwarded to other nodes, in milliseconds. */
  readonly forwardedDurations: Pick<Durations, 'add'>
}

/** Longest time to search for the node that serves a user, in milliseconds. It may include waiting for a move. */
const searchTimeoutMs = maxMoveWaitMs + 2000
const pauseMs = 25

export class ClusterDispatcher implements Dispatcher {
  readonly services: SharedServices
  readonly definitions: readonly AnyMethod[]
  /** The read of the registers in progress, which concurrent calls share. */
  #refreshing: Promise<void> | undefined

  constructor(private readonly options: ClusterDispatcherOptions) {
    const { registry } = options
    this.definitions = registry.definitions
    this.services = {
      ...registry.services,
      previews: {
        bytes: async (account, preview) =>
          await this.runWhereServed(
            account.username,
            async () => await registry.services.previews.bytes(account, preview),
            async peer => Buffer.from(await peer.request('previewBytes', account, preview))
          )
      }
    }
  }

  /**
   * Makes a call here, or at the node that serves the user. Fails with `api-unavailable` if none is found;
   * without a user, a write fails likewise while this node's lease is not valid.
   */
  call(request: Request): Promise<Outcome> | Outcome {
    const { calls, ownership } = this.options
    const username = getCalledUser(request)
    if (username === undefined && !ownership.isCertain && !calls.isRead(request.method))
      return this.#toFailure(createUnreachableError(), request)
    return this.#isHere(username) ? calls.call(request) : this.forward(username!, request)
  }

  /** Checks where the user is served. The result is a failure with `api-unavailable` if no node is found. */
  precheck(request: Omit<Request, 'params'>): Promise<PrecheckResult | Failure> | PrecheckResult | Failure {
    const { calls } = this.options
    if (this.#isHere(request.user)) return calls.precheck(request)
    return this.#checkWhereServed<PrecheckResult | Failure>(
      request,
      () => calls.precheck(request),
      async peer => {
        const checked = await peer.request('precheck', toSentRequest(this.services.config, request))
        if ((checked as unknown) === servedElsewhere) return servedElsewhere
        return checked.ok ? checked : fromSentFailure(checked)
      }
    )
  }

  /** Checks where the user is served; see {@link precheck}. */
  recheck(request: Request): Promise<Failure | undefined> | Failure | undefined {
    const { calls } = this.options
    if (this.#isHere(request.user)) return calls.recheck(request)
    return this.#checkWhereServed<Failure | undefined>(
      request,
      () => calls.recheck(request),
      async peer => {
        const refusal = await peer.request('recheck', toSentRequest(this.services.config, request))
        if ((refusal as unknown) === servedElsewhere) return servedElsewhere
        return refusal && fromSentFailure(refusal)
      }
    )
  }

  /** Makes a call at the node that serves a user, on behalf of a method that runs here. */
  async forward(username: string, request: Request): Promise<Outcome> {
    const { calls } = this.options
    try {
      return await this.runWhereServed<Outcome>(
        username,
        () => calls.call(request),
        peer => this.#callPeer(peer, request)
      )
    } catch (error) {
      return this.#toFailure(error, request)
    }
  }

  /**
   * Calls `runHere` if this node serves the user, `runThere` with a peer otherwise, which resolves with
   * {@link servedElsewhere} if the peer does not serve the user. Rejects with `api-unavailable` if no node is found, and with
   * the errors of both functions.
   */
  async runWhereServed<T>(
    username: string,
    runHere: () => Promise<T> | T,
    runThere: (peer: Peer) => Promise<T | typeof servedElsewhere>
  ): Promise<T> {
    const { peers, ownership } = this.options
    const endMs = performance.now() + searchTimeoutMs
    for (;;) {
      // A request may have waited for as long as this process was frozen. (cluster/nodes/lease.ts)
      if (!ownership.isCertain) throw createUnreachableError()
      await ownership.waitUntilMoved(username)
      if (ownership.isOwned(username)) return await runHere()
      const owner = ownership.findOwner(username)
      if (!owner) throw createUnreachableError()
      try {
        const answer = await runThere(peers.getPeer(owner))
        if (answer !== servedElsewhere) return answer
        if (performance.now() > endMs) throw createUnreachableError()
        await this.#refreshShards()
      } catch (error) {
        // A leaving node may have handed its shards to others.
        if (!isRetryable(error) || performance.now() > endMs) throw error
        await this.#refreshShards()
        if (ownership.findOwner(username) === owner) throw error
      }
    }
  }

  #isHere(username: string | undefined): boolean {
    return username === undefined || this.options.ownership.isOwned(username)
  }

  #toFailure(error: unknown, { method }: Pick<Request, 'method'>): Failure {
    return toFailure(this.services.log, error, method)
  }

  /**
   * Makes a call on another node, with its files lent. Returns `servedElsewhere` if that node does not serve the
   * user. Rejects if the node cannot be reached, for a read with an error that can be retried.
   */
  async #callPeer(peer: Peer, request: Request): Promise<Outcome | typeof servedElsewhere> {
    const lent: UploadedFile[] = []
    const beganMs = performance.now()
    try {
      for (const file of request.files ?? [])
        lent.push({ ...file, received: await this.options.files.lend(file.received) })
      const sent = request.files ? { ...request, files: lent } : request
      const outcome = await callPeer<typeof servedElsewhere>(peer, this.services.config, sent)
      return outcome === servedElsewhere ? servedElsewhere : await this.#fetchDraft(outcome)
    } catch (error) {
      throw this.options.calls.isRead(request.method) ? toRetryable(error) : error
    } finally {
      this.options.forwardedDurations.add(performance.now() - beganMs)
      // Files that the other node accepted are gone already. Files that cannot be removed now are removed at the next start.
      for (const { received } of lent) await this.options.files.discard(received).catch(() => undefined)
    }
  }

  /** Fetches the draft of an export that is to be sent from here. */
  async #fetchDraft(outcome: Outcome): Promise<Outcome> {
    if (!outcome.ok || outcome.facts?.draft === undefined) return outcome
    return {
      ...outcome,
      facts: { ...outcome.facts, draft: await this.options.files.fetchLent(outcome.facts.draft) }
    }
  }

  /** Checks a call at the node that serves its user. Never rejects. */
  async #checkWhereServed<T>(
    request: Omit<Request, 'params'>,
    runHere: () => Promise<T> | T,
    runThere: (peer: Peer) => Promise<T | typeof servedElsewhere>
  ): Promise<T | Failure> {
    try {
      return await this.runWhereServed(request.user ?? '', runHere, runThere)
    } catch (error) {
      return this.#toFailure(toRetryable(error), request)
    }
  }

  async #refreshShards(): Promise<void> {
    this.#refreshing ??= wait(pauseMs)
      .then(() => this.options.shards.refresh())
      .catch(() => undefined)
      .finally(() => (this.#refreshing = undefined))
    await this.#refreshing
  }
}

/** Returns whether an error means that nothing has been done. (docs/spec/errors.md#retrying) */
function isRetryable(error: unknown): boolean {
  return error instanceof ApiError && error.id === 'api-unavailable' && error.details.retryAfter !== undefined
}

/** Makes an error retryable: a read whose response was lost may be repeated. */
function toRetryable(error: unknown): unknown {
  return error instanceof ApiError && error.id === 'api-unavailable' && error.details.retryAfter === undefined
    ? createUnreachableError(error)
    : error
}
