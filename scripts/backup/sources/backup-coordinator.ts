/**
 * Decides which node makes the backups of a cluster: the node that serves the first shard: if that node fails, the node
 * that takes over the shard also takes over the backups. Outcomes are stored in a register, so that the node that makes
 * the next backup knows about the last one. (docs/cluster.md#backups)
 */
import { setTimeout as wait } from 'node:timers/promises'
import { connectEngine } from '../../../cluster/connect.js'
import { Conflict, type Register } from '../../../cluster/engine.js'
import { readJson } from '../../../cluster/nodes/json.js'
import { nodeKey, parseNodeState } from '../../../cluster/nodes/node-state.js'
import { parsePlacement, shardKey } from '../../../cluster/nodes/shard-placement.js'
import type { Settings } from '../../../core/settings/settings.js'
import { withRetries } from './retries.js'

/** The state of the cluster's backups. */
interface BackupTurn {
  /** True if this node has to make backups, and no other live node is making one. */
  readonly isOurs: boolean
  /** End of the last successful backup, in seconds; `undefined` if no backup has succeeded. */
  readonly finished: number | undefined
}

/** The content of the register. */
interface RegisterState {
  readonly finished?: number
  /** The node and process that is making a backup, and since when, in seconds of the Unix epoch. */
  readonly maker?: { readonly node: string; readonly process: string; readonly began: number }
}

/** Name of the register. */
const key = 'backup'
/** Time after which a backup is treated as abandoned, in seconds. */
const abandonedAfter = 24 * 3600
/** Time to wait until the shard is served, and interval of checking. */
const [timeoutMs, pollMs] = [60_000, 1000]

/**
 * Coordinates backups between nodes. All methods repeat requests to an engine that does not respond, and reject with
 * `EngineUnavailable` if it never does, or when `signal` aborts.
 */
export class BackupCoordinator {
  /** `open` connects to the register. `close` of the result ends the connection. */
  constructor(
    private readonly node: string,
    private readonly open: () => Promise<{ register: Register; close(): Promise<void> }>
  ) {}

  /** Creates the coordinator of the node in the settings. */
  static fromSettings({ cluster }: Settings): BackupCoordinator {
    const { node } = cluster
    return new BackupCoordinator(
      node,
      async () => await connectEngine({ ...cluster, node: `${node}-backup` })
    )
  }

  /**
   * Returns when the last backup was finished, and whether this node has to make the next one: it serves the
   * first shard, and no other node is making one. Waits for a node that serves the first shard; rejects if
   * there is none in time.
   */
  async look(signal: AbortSignal): Promise<BackupTurn> {
    return await this.#withRegister(signal, async register => {
      const { finished, maker } = (await readRegister(register)).state
      const isServing = await this.#servesFirstShard(register, signal)
      return { isOurs: isServing && !(await this.#isBusy(register, maker)), finished }
    })
  }

  /** Records that this node makes a backup. Resolves with false if another node is making one. */
  async begin(signal: AbortSignal): Promise<boolean> {
    return await this.#withRegister(signal, async register => {
      const { revision, state } = await readRegister(register)
      if (await this.#isBusy(register, state.maker)) return false
      const own = await register.get(nodeKey(this.node))
      const process = (own && parseNodeState(own))?.process ?? ''
      const maker = { node: this.node, process, began: Math.floor(Date.now() / 1000) }
      try {
        await register.cas(key, revision, encodeState({ ...state, maker }))
        return true
      } catch (error) {
        if (error instanceof Conflict) return false
        throw error
      }
    })
  }

  /** Records that this node's backup has ended. `finished`: time of success in seconds; `undefined` if it failed. */
  async end(finished: number | undefined, signal: AbortSignal): Promise<void> {
    await this.#withRegister(signal, async register => {
      for (;;) {
        const { revision, state } = await readRegister(register)
        const { maker, ...rest } = state
        const isOurs = maker === undefined || maker.node === this.node
        const left = isOurs ? rest : state
        try {
          await register.cas(
            key,
            revision,
            encodeState(finished === undefined ? left : { ...left, finished })
          )
          return
        } catch (error) {
          if (!(error instanceof Conflict)) throw error
        }
      }
    })
  }

  async #servesFirstShard(register: Register, signal: AbortSignal): Promise<boolean> {
    for (const deadline = performance.now() + timeoutMs; performance.now() < deadline;) {
      const found = await register.get(shardKey(0))
      const placed = found && parsePlacement(found)
      if (placed) return placed.node === this.node
      await wait(pollMs, undefined, { signal })
    }
    // Returning false would be silent: no node would make a backup or report that none is made.
    throw new Error('No node serves the first shard, which is responsible for backups')
  }

  /** Returns true if another node is making a backup and its process is still running. */
  async #isBusy(register: Register, maker: RegisterState['maker']): Promise<boolean> {
    if (maker === undefined || maker.node === this.node) return false
    if (Math.abs(Date.now() / 1000 - maker.began) > abandonedAfter) return false
    const found = await register.get(nodeKey(maker.node))
    const state = found && parseNodeState(found)
    const isAlive = state?.state === 'alive' || state?.state === 'leaving'
    return isAlive && state.process === maker.process
  }

  async #withRegister<T>(signal: AbortSignal, work: (register: Register) => Promise<T>): Promise<T> {
    return await withRetries(async () => {
      const engine = await this.open()
      try {
        return await work(engine.register)
      } finally {
        await engine.close()
      }
    }, signal)
  }
}

/** Reads the register and its revision. A register that cannot be parsed counts as empty. */
async function readRegister(register: Register): Promise<{ revision: number; state: RegisterState }> {
  const found = await register.get(key)
  if (!found) return { revision: 0, state: {} }
  const { finished, maker }: Partial<RegisterState> = readJson(found.bytes) ?? {}
  const isMaker =
    typeof maker?.node === 'string' && typeof maker.process === 'string' && typeof maker.began === 'number'
  return {
    revision: found.revision,
    state: { ...(typeof finished === 'number' && { finished }), ...(isMaker && { maker }) }
  }
}

function encodeState(state: RegisterState): Uint8Array {
  return Buffer.from(JSON.stringify(state))
}
