/**
 * Which node of a cluster makes the backups of all of it: the one that serves the first shard, so that others step in for it. What
 * becomes of them stands in a register, so that whoever makes the next one knows of the last. (docs/cluster.md#backups)
 */
import { setTimeout as wait } from 'node:timers/promises'
import { connectEngine } from '../../../cluster/connect.js'
import { Conflict, type Register } from '../../../cluster/engine.js'
import { readJson } from '../../../cluster/nodes/json.js'
import { nodeKey, parseNodeState } from '../../../cluster/nodes/node-state.js'
import { parsePlacement, shardKey } from '../../../cluster/nodes/shard-placement.js'
import type { Settings } from '../../../core/settings/settings.js'

/** How it stands with the backups of all nodes. */
export interface Turn {
  /** Whether it is up to this node, and no other one that lives is making a backup. */
  readonly isOurs: boolean
  /** When the last one ended that succeeded, in seconds; `undefined` if there was none. */
  readonly finished: number | undefined
}

/** The register. */
interface Noted {
  readonly finished?: number
  /** Who is making a backup: a node and its process, since so many seconds of the Unix epoch. */
  readonly maker?: { readonly node: string; readonly process: string; readonly began: number }
}

/** Where it is kept. */
const key = 'backup'
/** Whoever makes one for longer has ended without a word, in seconds. */
const longest = 24 * 3600
/** How long it is waited for that the shard is served at all, and the time between two looks, in milliseconds. */
const [patienceMs, pauseMs] = [60_000, 1000]

/** Asks and tells other nodes. All of it rejects with `EngineUnavailable` if no server of the engine answers. */
export class Turns {
  /** `open`: connects to the register; resolves with what is called when it is needed no more. */
  constructor(
    private readonly node: string,
    private readonly open: () => Promise<{ register: Register; close(): Promise<void> }>
  ) {}

  /** Of the node of these settings. */
  static of({ cluster }: Settings): Turns {
    const { node } = cluster
    return new Turns(node, async () => await connectEngine({ ...cluster, node: `${node}-backup` }))
  }

  /**
   * Rejects with an error if nobody serves the first shard, and when `signal` says that nobody wants to know any more.
   */
  async look(signal: AbortSignal): Promise<Turn> {
    return await this.#with(async register => {
      const { finished, maker } = (await noted(register)).state
      const isServing = await this.#servesFirst(register, signal)
      return { isOurs: isServing && !(await this.#isBusy(register, maker)), finished }
    })
  }

  /** Notes that this node makes a backup. Resolves with `false` if another one has just begun. */
  async begin(): Promise<boolean> {
    return await this.#with(async register => {
      const { revision, state } = await noted(register)
      if (await this.#isBusy(register, state.maker)) return false
      const own = await register.get(nodeKey(this.node))
      const process = (own && parseNodeState(own))?.process ?? ''
      const maker = { node: this.node, process, began: Math.floor(Date.now() / 1000) }
      try {
        await register.cas(key, revision, written({ ...state, maker }))
        return true
      } catch (error) {
        if (error instanceof Conflict) return false
        throw error
      }
    })
  }

  /** Notes that it makes none any more. `finished`: when it was done (seconds), if it was. */
  async end(finished: number | undefined): Promise<void> {
    await this.#with(async register => {
      for (;;) {
        const { revision, state } = await noted(register)
        const { maker, ...rest } = state
        const isOurs = maker === undefined || maker.node === this.node
        const left = isOurs ? rest : state
        try {
          await register.cas(key, revision, written(finished === undefined ? left : { ...left, finished }))
          return
        } catch (error) {
          if (!(error instanceof Conflict)) throw error
        }
      }
    })
  }

  async #servesFirst(register: Register, signal: AbortSignal): Promise<boolean> {
    for (const deadline = performance.now() + patienceMs; performance.now() < deadline;) {
      const found = await register.get(shardKey(0))
      const placed = found && parsePlacement(found)
      if (placed) return placed.node === this.node
      await wait(pauseMs, undefined, { signal })
    }
    // Whoever says that it is not his turn tells nobody: then no one would make a backup, and no one hear of it.
    throw new Error('No node serves the first shard, which is responsible for backups')
  }

  /** Whether another node is making a backup, whose process still runs. */
  async #isBusy(register: Register, maker: Noted['maker']): Promise<boolean> {
    if (maker === undefined || maker.node === this.node) return false
    if (Math.abs(Date.now() / 1000 - maker.began) > longest) return false
    const found = await register.get(nodeKey(maker.node))
    const state = found && parseNodeState(found)
    const isAlive = state?.state === 'alive' || state?.state === 'leaving'
    return isAlive && state.process === maker.process
  }

  async #with<T>(work: (register: Register) => Promise<T>): Promise<T> {
    const engine = await this.open()
    try {
      return await work(engine.register)
    } finally {
      await engine.close()
    }
  }
}

/** What the register says, and its revision. One that cannot be read says nothing. */
async function noted(register: Register): Promise<{ revision: number; state: Noted }> {
  const found = await register.get(key)
  if (!found) return { revision: 0, state: {} }
  const { finished, maker }: Partial<Noted> = readJson(found.bytes) ?? {}
  const isMaker =
    typeof maker?.node === 'string' && typeof maker.process === 'string' && typeof maker.began === 'number'
  return {
    revision: found.revision,
    state: { ...(typeof finished === 'number' && { finished }), ...(isMaker && { maker }) }
  }
}

function written(state: Noted): Uint8Array {
  return Buffer.from(JSON.stringify(state))
}
