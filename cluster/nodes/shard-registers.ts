/** The registers of shards as known by one node: read, announced, and changed by compare-and-swap. */
import { Conflict, EngineUnavailable, type Engine, type RegisterValue } from '../engine.js'
import {
  allShards,
  parseChangedShard,
  parsePlacement,
  shardKey,
  parseShard,
  type ShardPlacement
} from './shard-placement.js'

/** The last known content of a shard's register. */
export interface KnownPlacement extends ShardPlacement {
  readonly revision: number
}

/** A register that cannot be read, and when it was first seen like this, in the time of `performance.now`. */
interface Unreadable {
  readonly revision: number
  readonly seenMs: number
}

const topic = 'shards'

export class ShardRegisters {
  readonly #known = new Map<number, KnownPlacement>()
  readonly #unreadable = new Map<number, Unreadable>()
  /** Shards whose registers are being read because a change was announced. */
  readonly #refreshing = new Set<number>()

  /** `onChange` is called with each change, and the previous content. */
  constructor(
    private readonly engine: Pick<Engine, 'announce' | 'subscribe' | 'register'>,
    private readonly onChange: (
      shard: number,
      known: KnownPlacement,
      before: KnownPlacement | undefined
    ) => void
  ) {}

  /**
   * Finds the placement of a shard that was last read from its register. Returns `undefined` if there is
   * none.
   */
  find(shard: number): KnownPlacement | undefined {
    return this.#known.get(shard)
  }

  /** Lists the placements of shards at a node, in any of its lives. */
  listOfNode(node: string): KnownPlacement[] {
    return Array.from(this.#known.values()).filter(known => known.node === node)
  }

  /** The registers that cannot be read, by shard. */
  get unreadable(): ReadonlyMap<number, Unreadable> {
    return this.#unreadable
  }

  /** Listens to announcements. Returns a function that stops listening. */
  listen(): () => void {
    return this.engine.subscribe(topic, message => this.#handleAnnouncement(message))
  }

  /** Updates the known registers. Reads may come from a replica that lags behind: older revisions are ignored. */
  update(registers: readonly RegisterValue[]): void {
    for (const register of registers) {
      const shard = parseShard(register)
      if (allShards.includes(shard)) this.#read(shard, register)
    }
  }

  /** Reads the register of a shard, if the engine can be reached. Never rejects with `EngineUnavailable`. */
  async refresh(shard: number): Promise<void> {
    try {
      const found = await this.engine.register.get(shardKey(shard))
      if (found) this.update([found])
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
    }
  }

  /**
   * Changes the register of a shard if it has the given revision (0 if there is none), and announces it. The known
   * content shows whether that succeeded: another node may have been faster, or the outcome is unknown until the next
   * read.
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
      this.#updatePlacement(shard, { ...value, revision: placed })
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
      this.#updatePlacement(shard, { ...placed, revision })
    } else if (this.#unreadable.get(shard)?.revision !== revision)
      this.#unreadable.set(shard, { revision, seenMs: performance.now() })
  }

  /** Stores what a register says about a shard, unless something later is known. */
  #updatePlacement(shard: number, known: KnownPlacement): void {
    const before = this.#known.get(shard)
    if (before && before.revision >= known.revision) return
    this.#known.set(shard, known)
    this.onChange(shard, known, before)
  }

  #handleAnnouncement(message: Uint8Array): void {
    const shard = parseChangedShard(message)
    if (shard === undefined || this.#refreshing.has(shard)) return
    // Announcements are not trusted: the register is read.
    this.#refreshing.add(shard)
    void this.refresh(shard).finally(() => this.#refreshing.delete(shard))
  }
}
