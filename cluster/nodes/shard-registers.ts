/** The registers of shards as one node knows them: read, heard of, and changed by compare-and-swap. */
import { Conflict, EngineUnavailable, type Engine, type Registered } from '../engine.js'
import { allShards, changedShard, placedIn, shardKey, shardOf, type Placed } from './places.js'

/** What the register of a shard has said last. */
export interface Known extends Placed {
  readonly revision: number
}

/** A register that cannot be read, and when it was first seen like this, by the clock of `performance.now`. */
interface Unreadable {
  readonly revision: number
  readonly seenMs: number
}

const topic = 'shards'

export class ShardRegisters {
  readonly #known = new Map<number, Known>()
  readonly #unreadable = new Map<number, Unreadable>()
  /** Shards whose registers are being read, since somebody has announced a change. */
  readonly #asked = new Set<number>()

  /** `learned` is called with each change, and what was known before it. */
  constructor(
    private readonly engine: Pick<Engine, 'announce' | 'hear' | 'register'>,
    private readonly learned: (shard: number, known: Known, before: Known | undefined) => void
  ) {}

  find(shard: number): Known | undefined {
    return this.#known.get(shard)
  }

  /** Those that name a node, in whichever life. */
  ofNode(node: string): Known[] {
    return Array.from(this.#known.values()).filter(known => known.node === node)
  }

  /** Those that cannot be read, by shard. */
  get unreadable(): ReadonlyMap<number, Unreadable> {
    return this.#unreadable
  }

  /** Reads what others announce, until the function that it returns is called. */
  listen(): () => void {
    return this.engine.hear(topic, message => this.#hear(message))
  }

  /** Takes note of registers. Reads may come from a copy that lags behind: what is older than what is known is ignored. */
  update(registers: readonly Registered[]): void {
    for (const register of registers) {
      const shard = shardOf(register)
      if (allShards.includes(shard)) this.#read(shard, register)
    }
  }

  /** Reads the register of a shard, if the engine can be reached. */
  async look(shard: number): Promise<void> {
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
  async place(shard: number, revision: number, { incarnation, node, pin, schema }: Placed): Promise<void> {
    const value: Placed = { node, incarnation, schema, ...(pin !== undefined && { pin }) }
    const bytes = Buffer.from(JSON.stringify(value))
    try {
      const placed = await this.engine.register.cas(shardKey(shard), revision, bytes)
      this.#learn(shard, { ...value, revision: placed })
      this.engine.announce(topic, Buffer.from(JSON.stringify({ shard })))
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof EngineUnavailable)) throw error
    }
  }

  #read(shard: number, register: Registered): void {
    const { revision } = register
    const placed = placedIn(register)
    if (placed) {
      this.#unreadable.delete(shard)
      this.#learn(shard, { ...placed, revision })
    } else if (this.#unreadable.get(shard)?.revision !== revision)
      this.#unreadable.set(shard, { revision, seenMs: performance.now() })
  }

  #learn(shard: number, known: Known): void {
    const before = this.#known.get(shard)
    if (before && before.revision >= known.revision) return
    this.#known.set(shard, known)
    this.learned(shard, known, before)
  }

  #hear(message: Uint8Array): void {
    const shard = changedShard(message)
    if (shard === undefined || this.#asked.has(shard)) return
    // Anything may be announced: what counts is the register.
    this.#asked.add(shard)
    void this.look(shard).finally(() => this.#asked.delete(shard))
  }
}
