/**
 * The lease of a node: a heartbeat in its own register. It permits answering reads and nothing else; the logs decide
 * who may write. It has ended when either clock says so: the monotonic one stops while a machine sleeps, and the wall
 * clock may be set.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Conflict, EngineUnavailable, type Register } from '../engine.js'
import { nodeKey, parseNodeState, type NodeFacts, type NodeState } from './node-state.js'
import { parsePlacement } from './shard-placement.js'

export interface LeaseOptions {
  readonly register: Register
  readonly node: string
  readonly facts: NodeFacts
  /** Time for which a heartbeat allows reads, in milliseconds; shorter than the takeover time. */
  readonly leaseMs: number
  /** Silence after which a node is declared dead, in milliseconds. */
  readonly takeoverMs: number
  /** Time between two heartbeats, in milliseconds. */
  readonly beatMs: number
  /** Time for which heartbeats have to be confirmed before this node may declare others dead, in milliseconds. */
  readonly steadyMs: number
  /**
   * Time after a lapse for which the lease stays invalid, in milliseconds: long enough to read, and refuse, every
   * request that arrived while this process was frozen.
   */
  readonly wakeMs: number
  /**
   * Called as soon as others have declared this node dead: it owns nothing any more. Resolves when everything that it
   * owned is closed; only then it begins another life, in which it might be given shards that it still has open.
   */
  onLost(): Promise<void>
}

/** A point in time, in milliseconds of the monotonic clock and of the wall clock. */
interface Moment {
  readonly monotonicMs: number
  readonly dayMs: number
}

const never: Moment = { monotonicMs: -Infinity, dayMs: -Infinity }

/** Time after which an unconfirmed heartbeat is retried, in milliseconds. */
const retryMs = 200

export class Lease {
  #incarnation = 0
  #formerIncarnation = 0
  #revision = 0
  #beat = 0
  #state: 'alive' | 'leaving' = 'alive'
  readonly #process = randomUUID()
  readonly #started = Date.now() / 1000
  /** When the last confirmed heartbeat was sent. */
  #sent = never
  /** Since when all heartbeats have been confirmed. */
  #steadySinceMs = Infinity
  /** When the first heartbeat after a lapse was confirmed. */
  #wokeMs = -Infinity
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()

  constructor(private readonly options: LeaseOptions) {}

  /** The life of this node to which its shards belong; 0 before the first heartbeat. */
  get incarnation(): number {
    return this.#incarnation
  }

  /**
   * Returns whether calls may begin here: no other node can have declared this one dead yet, and pending requests were
   * sent recently.
   */
  isValid(): boolean {
    return !this.#hasLapsed && performance.now() - this.#wokeMs >= this.options.wakeMs
  }

  get #hasLapsed(): boolean {
    return elapsedMs(this.#sent) >= this.options.leaseMs
  }

  /** Seconds since the last confirmed heartbeat was sent. */
  get age(): number {
    return elapsedMs(this.#sent) / 1000
  }

  /** Returns whether this node may declare others dead. */
  isSteady(): boolean {
    return this.isValid() && performance.now() - this.#steadySinceMs >= this.options.steadyMs
  }

  /** True once {@link leave} was called. */
  get isLeaving(): boolean {
    return this.#state === 'leaving'
  }

  /** Resolves with the first confirmed heartbeat, which waits for the end of an earlier life of this node. */
  async start(): Promise<void> {
    await this.#beginLife()
    this.#running = this.#keepAlive()
  }

  /** Announces with the next heartbeat that this node takes no more shards. */
  leave(): void {
    this.#state = 'leaving'
  }

  /** Ends the lease. Shards that it still owns can be taken over at once. */
  async end(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    this.#sent = never
    if (this.#incarnation === 0) return
    // If that fails, the others wait for the takeover time.
    await this.#write('ended').catch(() => undefined)
  }

  /** Begins a life. Another life of this node that is not known to have ended has to be silent for the takeover time. */
  async #beginLife(): Promise<void> {
    const { register, node, takeoverMs } = this.options
    let seen: { revision: number; sinceMs: number } | undefined
    while (!this.#stopping.signal.aborted) {
      try {
        const found = await register.get(nodeKey(node))
        const former = found && parseNodeState(found)
        const revision = found?.revision ?? 0
        if (seen?.revision !== revision) seen = { revision, sinceMs: performance.now() }
        // If it cannot be read, it is unknown whether it has ended.
        const hasEnded = !found || former?.state === 'dead' || former?.state === 'ended'
        // The first heartbeat may have arrived without an answer.
        const isOwn = former?.process === this.#process
        if (hasEnded || isOwn || performance.now() - seen.sinceMs >= takeoverMs) {
          const incarnation = (former?.incarnation ?? (found ? await this.#findLastIncarnation() : 0)) + 1
          this.#revision = revision
          this.#beat = 0
          const sent = now()
          this.#revision = await this.#write(this.#state, incarnation)
          this.#incarnation = incarnation
          this.#sent = sent
          this.#steadySinceMs = performance.now()
          if (this.#formerIncarnation > 0) this.#wokeMs = performance.now()
          return
        }
      } catch (error) {
        if (!isExpectedError(error)) throw error
      }
      await this.#pause(retryMs)
    }
  }

  /**
   * Returns the highest incarnation of this node that the registers of shards name, for when its own register cannot be
   * read.
   */
  async #findLastIncarnation(): Promise<number> {
    const { node, register } = this.options
    const placed = (await register.list('shard.')).map(each => parsePlacement(each))
    const lives = placed.filter(each => each?.node === node).map(each => each!.incarnation)
    return Math.max(this.#formerIncarnation, ...lives)
  }

  /** Renews the lease every `beatMs`, after a failure every `retryMs`, until it is stopped. */
  async #keepAlive(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const startMs = performance.now()
      let pauseMs = retryMs
      try {
        await this.#confirm()
        pauseMs = Math.max(0, this.options.beatMs - (performance.now() - startMs))
      } catch (error) {
        if (!isExpectedError(error)) throw error
        this.#steadySinceMs = Infinity
      }
      await this.#pause(pauseMs)
    }
  }

  /** Sends a heartbeat. Rejects if the heartbeat is not confirmed. */
  async #confirm(): Promise<void> {
    const sent = now()
    const wasLate = this.#hasLapsed
    try {
      this.#revision = await this.#write(this.#state)
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      await this.#resolveConflict()
      return
    }
    this.#sent = sent
    if (wasLate) this.#wokeMs = performance.now()
    // After a silence that others may have noticed, this node observes them again before it declares any dead.
    if (wasLate || this.#steadySinceMs === Infinity) this.#steadySinceMs = performance.now()
  }

  /**
   * Resolves a refused heartbeat: an earlier one of this life arrived late, or others have ended this life.
   * In the latter case, reports that, and begins another life.
   */
  async #resolveConflict(): Promise<void> {
    const found = await this.options.register.get(nodeKey(this.options.node))
    const state = found && parseNodeState(found)
    if (found && state?.incarnation === this.#incarnation && state.state !== 'dead') {
      // A register may be read from a replica that lags behind.
      this.#revision = Math.max(this.#revision, found.revision)
      return
    }
    if (found && found.revision <= this.#revision) return
    this.#sent = never
    this.#steadySinceMs = Infinity
    this.#formerIncarnation = this.#incarnation
    this.#incarnation = 0
    await this.options.onLost()
    await this.#beginLife()
  }

  async #write(state: NodeState['state'], incarnation = this.#incarnation): Promise<number> {
    const { facts, node, register } = this.options
    const value: NodeState = {
      ...facts,
      incarnation,
      state,
      process: this.#process,
      started: this.#started,
      beat: ++this.#beat
    }
    return await register.cas(nodeKey(node), this.#revision, Buffer.from(JSON.stringify(value)))
  }

  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#stopping
    await wait(milliseconds, undefined, { signal }).catch(() => undefined)
  }
}

function now(): Moment {
  return { monotonicMs: performance.now(), dayMs: Date.now() }
}

/** Returns the time since a moment, by the clock that shows more. */
function elapsedMs({ dayMs, monotonicMs }: Moment): number {
  return Math.max(performance.now() - monotonicMs, Date.now() - dayMs)
}

function isExpectedError(error: unknown): boolean {
  return error instanceof Conflict || error instanceof EngineUnavailable
}
