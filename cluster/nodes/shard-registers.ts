/** The registers of shards as one node knows them: read, heard of, and changed by compare-and-swap. */
import { Conflict, EngineUnavailable, type Engine, type RegisterValue } from '../engine.js'
import {
  allShards,
  parseChangedShard,
  parsePlacement,
  shardKey,
  parseShard,
  type ShardPlacement
} from './shard-placement.js'

/** What the register of a shard has said last. */
export interface KnownPlacement extends ShardPlacement {
  readonly revision: number
}

/** A register that cannot be read, and when it was first seen like this, by the clock of `performance.now`. */
interface Unreadable {
  readonly revision: number
  readonly seenMs: number
}

const topic = 'shards'

export class ShardRegisters {
  readonly #known = new Map<number, KnownPlacement>()
  readonly #unreadable = new Map<number, Unreadable>()
  /** Shards whose registers are being read, since somebody has announced a change. */
  readonly #refreshing = new Set<number>()

  /** `learned` is called with each change, and what was known before it. */
  constructor(
    private readonly engine: Pick<Engine, 'announce' | 'subscribe' | 'register'>,
    private readonly onChange: (
      shard: number,
      known: KnownPlacement,
      before: KnownPlacement | undefined
    ) => void
  ) {}

  find(shard: number): KnownPlacement | undefined {
    return this.#known.get(shard)
  }

  /** Those that name a node, in whichever life. */
  listOfNode(node: string): KnownPlacement[] {
    return Array.from(this.#known.values()).filter(known => known.node === node)
  }

  /** Those that cannot be read, by shard. */
  get unreadable(): ReadonlyMap<number, Unreadable> {
    return this.#unreadable
  }

  /** Reads what others announce, until the function that it returns is called. */
  listen(): () => void {
    return this.engine.subscribe(topic, message => this.#handleAnnouncement(message))
  }

  /** Takes note of registers. Reads may come from a copy that lags behind: what is older than what is known is ignored. */
  update(registers: readonly RegisterValue[]): void {
    for (const register of registers) {
      const shard = parseShard(register)
      if (allShards.includes(shard)) this.#read(shard, register)
    }
  }

  /** Reads the register of a shard, if the engine can be reached. */
  async refresh(shard: number): Promise<void> {
    try {
      const found = await this.engine.register.get(shardKey(shard))
      if (found) this.update([found])
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
    }
  }

  /**
   * Changes the register of a shard if it still has a revision (0 if there is none), and announces it. Whether that has been done
   * shows in what is known afterwards: another node may have been faster, or nobody knows until the next look.
   */
  async place(
    shard: number,
    revision: number,
    { incarnation, node, pin, schema }: ShardPlacement
  ): Promise<void> {
    const value: ShardPlacement = { node, incarnation, schema, ...(pin !== undefined && { pin }) }
    const bytes = Buffer.from(JSON.stringify(value))
    try {
      const placed = await this.engine.register.cas(shardKey(shard), revision, bytes)
      this.#learn(shard, { ...value, revision: placed })
      this.engine.announce(topic, Buffer.from(JSON.stringify({ shard })))
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof EngineUnavailable)) throw error
    }
  }

  #read(shard: number, register: RegisterValue): void {
    const { revision } = register
    const placed = parsePlacement(register)
    if (placed) {
      this.#unreadable.delete(shard)
      this.#learn(shard, { ...placed, revision })
    } else if (this.#unreadable.get(shard)?.revision !== revision)
      this.#unreadable.set(shard, { revision, seenMs: performance.now() })
  }

  #learn(shard: number, known: KnownPlacement): void {
    const before = this.#known.get(shard)
    if (before && before.revision >= known.revision) return
    this.#known.set(shard, known)
    this.onChange(shard, known, before)
  }

  #handleAnnouncement(message: Uint8Array): void {
    const shard = parseChangedShard(message)
    if (shard === undefined || this.#refreshing.has(shard)) return
    // Anything may be announced: what counts is the register.
    this.#refreshing.add(shard)
    void this.refresh(shard).finally(() => this.#refreshing.delete(shard))
  }
}
