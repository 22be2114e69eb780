/**
 * Decides which node serves which shard: one register each, changed by compare-and-swap. Shards without an owner are
 * taken over, and shards are moved.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Conflict, EngineUnavailable } from '../engine.js'
import type { Life, Member } from './members.js'
import { nodeKey, type NodeState } from './node-state.js'
import { allShards, chooseNode, findObstacle, type ShardPlacement } from './shard-placement.js'
import { ShardRegisters, type KnownPlacement } from './shard-registers.js'
import type { ShardsOptions } from './shards-options.js'

export class Shards {
  readonly #registers: ShardRegisters
  /** Shards that this node serves. */
  readonly #owned = new Set<number>()
  /** Shards that are being moved, or whose last change has not been confirmed. */
  readonly #moving = new Map<number, Promise<void>>()
  readonly #stopping = new AbortController()
  #stopListening = (): void => {}
  #running: Promise<void> = Promise.resolve()
  /** When the registers were last read. */
  #readMs = -Infinity

  constructor(private readonly options: ShardsOptions) {
    this.#registers = new ShardRegisters(options.engine, (...learned) => this.#onChange(...learned))
  }

  /** Returns the owner of a shard, as far as known; `undefined` if the shard never had an owner. */
  findOwner(shard: number): Life | undefined {
    return this.#registers.find(shard)
  }

  /** Returns whether calls on a shard may begin here. Reads also need a valid lease. */
  isMine(shard: number): boolean {
    return this.#owned.has(shard) && !this.#moving.has(shard)
  }

  /** Returns whether calls on a shard may continue here. */
  isHeld(shard: number): boolean {
    return this.#owned.has(shard)
  }

  /** The shards that this node serves, including those being moved away. */
  get owned(): number[] {
    return Array.from(this.#owned)
  }

  /** Shards whose registers cannot be read. */
  get unreadable(): number[] {
    return Array.from(this.#registers.unreadable.keys())
  }

  /** Resolves when a shard that is being moved has arrived elsewhere; `undefined` if it is not being moved. */
  waitUntilMoved(shard: number): Promise<void> | undefined {
    return this.#moving.get(shard)
  }

  /** Reads the registers, and maintains the shards from now on. */
  start(): void {
    this.#stopListening = this.#registers.listen()
    this.#running = this.#run()
  }

  /**
   * Ends the maintenance of the shards. Resolves once no shard is being moved. Shards stay with this node.
   */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#stopListening()
    await this.#running
    await Promise.all(this.#moving.values())
  }

  /** Reads the registers now. Rejects with `EngineUnavailable`. */
  async refresh(): Promise<void> {
    const { members, engine } = this.options
    const [nodes, shards] = await Promise.all([engine.register.list('node.'), engine.register.list('shard.')])
    members.update(nodes)
    this.#registers.update(shards)
    this.#readMs = performance.now()
  }

  /** Marks this life as ended: nothing is served here any more. */
  loseAll(): void {
    this.#owned.clear()
  }

  /**
   * Moves a shard of this node to another node. With `pin`, the shard stays at that node while it is alive.
   * If it is at that node already, it is only pinned. Rejects if the shard is not on this node, or the other
   * node cannot take it.
   */
  async move(shard: number, to: string, pin = false): Promise<void> {
    const member = this.options.members.find(to)
    const own = this.#registers.find(shard)
    if (!this.isMine(shard) || !own) throw new Error(`Shard ${shard} is not on this node`)
    const obstacle = findObstacle(member, own)
    if (!member || obstacle !== undefined)
      throw new Error(`${to} cannot take shard ${shard}, because it ${obstacle}`)
    if (to !== this.options.node) return await this.#moveOnce(shard, own, member, pin ? to : undefined)
    if (pin) await this.#registers.place(shard, own.revision, { ...this.#ownPlacement, pin: to })
  }

  /**
   * Moves all shards away. Resolves with the number of shards that no node can take, once all others are moved, or when
   * the lease is no longer valid, since the engine may be unavailable for long. A node that leaves keeps trying then.
   */
  async drain(): Promise<number> {
    let remaining = 0
    const moves = this.owned.map(async shard => {
      const [own, best] = [this.#registers.find(shard), this.#chooseNode(shard, true)]
      if (own && best) await this.#moveOnce(shard, own, best, own.pin)
      else remaining++
    })
    const done = Promise.all(moves).then(() => true)
    const { lease, pollMs } = this.options
    for (let isDone = false; !isDone && lease.isValid();)
      isDone = await Promise.race([done, wait(pollMs, false)])
    return remaining
  }

  get #ownPlacement(): ShardPlacement {
    const { lease, node, schema } = this.options
    return { node, incarnation: lease.incarnation, schema }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await this.refresh()
        if (this.options.lease.isSteady()) await this.#maintain()
      } catch (error) {
        if (!(error instanceof EngineUnavailable || error instanceof Conflict)) throw error
      }
      await wait(this.options.pollMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Declares silent nodes dead, takes over shards without an owner, and gives away those that other nodes should serve. */
  async #maintain(): Promise<void> {
    const { lease, members, node, takeoverMs } = this.options
    for (const member of members.listSilent(takeoverMs))
      if (member.node !== node && lease.isSteady()) await this.#declareDead(member)
    // Some may have been given to this node before it knew its own life.
    for (const shard of allShards) this.#serveIfOwned(shard)
    // A node that does not know yet that this one is leaving may have given it a shard.
    if (lease.isLeaving) return void (await this.drain())
    await this.#repair()
    const orphans = allShards.filter(shard => this.#isOrphan(shard) && this.#chooseNode(shard)?.node === node)
    await Promise.all(orphans.map(shard => this.#takeOver(shard)))
    for (const shard of this.#owned) {
      const own = this.#registers.find(shard)
      const best = this.#chooseNode(shard)
      // One at a time: each is a short wait for its users.
      if (own && best && best.node !== node && !this.#moving.has(shard) && lease.isSteady()) {
        await this.#moveOnce(shard, own, best, own.pin)
        if (performance.now() - this.#readMs > this.options.takeoverMs / 4) return
      }
    }
  }

  /** Declares a silent node dead, unless its register has changed in the meantime. */
  async #declareDead(member: Member): Promise<void> {
    const { isUnreadable, node, revision, seenMs: _seenMs, ...state } = member
    // If its register does not show its incarnation, all lives are meant to which shards belong.
    const lives = isUnreadable ? this.#registers.listOfNode(node) : []
    const incarnation = Math.max(state.incarnation, ...lives.map(life => life.incarnation))
    const dead: NodeState = { ...state, incarnation, state: 'dead' }
    const bytes = Buffer.from(JSON.stringify(dead))
    const { members, engine } = this.options
    try {
      const declared = await engine.register.cas(nodeKey(node), revision, bytes)
      members.update([{ key: nodeKey(node), revision: declared, bytes }])
    } catch (error) {
      // The former node is alive, or another node was faster.
      if (!(error instanceof Conflict)) throw error
    }
  }

  /**
   * Rewrites registers that cannot be read: the registers of this node's shards, and registers that no node has
   * rewritten for the takeover time.
   */
  async #repair(): Promise<void> {
    for (const [shard, { revision, seenMs }] of this.#registers.unreadable) {
      const known = this.#registers.find(shard)
      if (known && this.#owned.has(shard)) await this.#registers.place(shard, revision, known)
      else if (
        performance.now() - seenMs > this.options.takeoverMs &&
        this.#chooseNode(shard)?.node === this.options.node
      )
        await this.#takeOver(shard, revision)
    }
  }

  #isOrphan(shard: number): boolean {
    const known = this.#registers.find(shard)
    if (this.#moving.has(shard) || this.#owned.has(shard) || this.#registers.unreadable.has(shard))
      return false
    return !known || this.options.members.hasEnded(known)
  }

  /** Chooses the node that should serve a shard; with `others`, a node other than this one. */
  #chooseNode(shard: number, others = false): Member | undefined {
    const { members, node } = this.options
    const candidates = members.living.filter(member => !others || member.node !== node)
    return chooseNode(shard, this.#registers.find(shard), candidates)
  }

  /** `revision`: of its register, if that cannot be read. */
  async #takeOver(shard: number, revision?: number): Promise<void> {
    const { events, lease, schema } = this.options
    const known = this.#registers.find(shard)
    if (known && known.schema > schema) return
    if (!(await events.mayTake(shard)) || !lease.isSteady() || lease.isLeaving) return
    const placed = { ...this.#ownPlacement, ...(known?.pin !== undefined && { pin: known.pin }) }
    await this.#registers.place(shard, revision ?? known?.revision ?? 0, placed)
  }

  #moveOnce(shard: number, own: KnownPlacement, to: Life, pin: string | undefined): Promise<void> {
    const known = this.#moving.get(shard)
    if (known) return known
    return this.#holdWhile(shard, this.#handOver(shard, own, to, pin))
  }

  /**
   * Hands a shard over to another node, or takes it back if that node has ended. Resolves once its new owner is
   * known, or this node stops.
   */
  async #handOver(
    shard: number,
    own: KnownPlacement,
    { incarnation, node }: Life,
    pin?: string
  ): Promise<void> {
    const { events, lease, members, schema } = this.options
    await events.waitUntilIdle(shard)
    this.#owned.delete(shard)
    await events.release(shard)
    const target: ShardPlacement = { node, incarnation, schema, ...(pin !== undefined && { pin }) }
    // No node serves the shard until its owner is known: the outcome is checked for as long as it takes.
    while (lease.incarnation === own.incarnation && !this.#stopping.signal.aborted) {
      // The target may have ended in the meantime. Once the shard is placed again, no former change can take effect.
      await this.#registers.place(
        shard,
        own.revision,
        members.hasEnded(target) ? { ...own, ...this.#ownPlacement } : target
      )
      if (this.#hasMoved(shard, own)) return
      await this.#registers.refresh(shard)
      if (this.#hasMoved(shard, own)) return
      await wait(this.options.pollMs / 4)
    }
  }

  /**
   * Closes what is open of a shard that another node has taken without asking, as after a repair of its register. Until
   * then, the shard counts as moving: if it comes back in the meantime, calls wait, so that none of them reads outdated
   * files.
   */
  #releaseTaken(shard: number): void {
    if (!this.#moving.has(shard)) void this.#holdWhile(shard, this.options.events.release(shard))
  }

  /** Makes calls on a shard wait until `moving` has settled. */
  #holdWhile(shard: number, moving: Promise<void>): Promise<void> {
    const settled = moving.finally(() => {
      this.#moving.delete(shard)
      if (!this.#stopping.signal.aborted) this.#serveIfOwned(shard)
    })
    this.#moving.set(shard, settled)
    return settled
  }

  /** Begins to serve a shard if its register names this life. */
  #serveIfOwned(shard: number): void {
    const known = this.#registers.find(shard)
    if (!known || !this.#isOwn(known) || this.#owned.has(shard) || this.#moving.has(shard)) return
    this.#owned.add(shard)
    this.options.events.onTaken(shard)
  }

  #isOwn({ incarnation, node }: Life): boolean {
    return node === this.options.node && incarnation === this.options.lease.incarnation
  }

  #hasMoved(shard: number, own: KnownPlacement): boolean {
    return (this.#registers.find(shard)?.revision ?? 0) > own.revision
  }

  #onChange(shard: number, known: KnownPlacement, before: KnownPlacement | undefined): void {
    const { incarnation, node } = known
    if (!this.#isOwn(known) && this.#owned.delete(shard)) this.#releaseTaken(shard)
    this.#serveIfOwned(shard)
    if (before?.node !== node || before.incarnation !== incarnation) this.options.events.onOwnerChange(shard)
  }
}
