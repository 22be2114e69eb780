/** A cluster on this machine for the bench: three engine servers, and nodes. */
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import type { NatsEngine } from '../../cluster/nats-engine.js'
import { parsePlacement, parseShard } from '../../cluster/nodes/shard-placement.js'
import { createFixedShards } from '../../core/call/shard.js'
import { EngineServers, until } from '../../test/cluster/engine-servers.js'
import { ServiceProcess } from './load/service-process.js'

const coffer = fileURLToPath(new URL('../coffer.cjs', import.meta.url))
const shards = createFixedShards(64)
const mebibyte = 1024 * 1024
/** Maximum number of bytes of the log of a shard, and of all objects. */
const [shardBytes, objectBytes] = [64 * mebibyte, 1024 * mebibyte]

/** A node, with its name. */
interface ClusterNode {
  readonly name: string
  readonly target: ServiceProcess
}

export class BenchCluster {
  readonly #nodes: ClusterNode[] = []

  private constructor(
    readonly servers: EngineServers,
    readonly engine: NatsEngine,
    private readonly teardowns: readonly (() => unknown)[],
    private readonly nodeOptions: readonly string[]
  ) {}

  /**
   * Starts three engine servers, with their files below a folder. `nodeOptions`: Node options of the nodes.
   */
  static async start(directory: string, nodeOptions: readonly string[] = []): Promise<BenchCluster> {
    const teardowns: (() => unknown)[] = []
    const teardown = (run: () => unknown): void => void teardowns.unshift(run)
    const root = mkdtempSync(join(directory, 'engine-'))
    const places = ['1', '2', '3'].map(name => ({ folder: join(root, name) }))
    const servers = await EngineServers.start({ teardown }, { places })
    return new BenchCluster(servers, await servers.connect({ teardown }), teardowns, nodeOptions)
  }

  /** Process ids of the engine servers. */
  get serverPids(): number[] {
    return this.servers.members.map(({ pid = 0 }) => pid)
  }

  /** Starts the cluster with the accounts of a data directory. */
  async initialize(dataDir: string): Promise<void> {
    const flags = [
      `--dataDir=${dataDir}`,
      `--cluster.engine=${this.#engineUrls}`,
      `--shard-bytes=${shardBytes}`,
      `--object-bytes=${objectBytes}`
    ]
    await promisify(execFile)(process.execPath, [coffer, 'cluster', 'init', ...flags])
  }

  /** Starts a node. Resolves when each started node serves shards, and no other node does. */
  async node(name: string, dataDir: string): Promise<ServiceProcess> {
    const target = await ServiceProcess.start(dataDir, this.nodeOptions, {
      COFFER_CLUSTER_NODE: name,
      COFFER_CLUSTER_ENGINE: this.#engineUrls
    })
    this.#nodes.push({ name, target })
    await until('the nodes to share the shards', async () => {
      const places = Array.from((await this.#places()).values())
      return places.length === 64 && this.#nodes.every(node => places.includes(node.name))
    })
    return target
  }

  /** Returns the node that currently serves each user. */
  async getOwners(usernames: readonly string[]): Promise<ClusterNode[]> {
    const places = await this.#places()
    return usernames.map(username => {
      const name = places.get(shards.indexOf(username))
      return this.#nodes.find(node => node.name === name)!
    })
  }

  async stop(): Promise<void> {
    for (const { target } of this.#nodes) await target.stop()
    for (const teardown of this.teardowns) await teardown()
  }

  get #engineUrls(): string {
    return this.servers.urls.join(',')
  }

  /** Returns the node that serves each shard. */
  async #places(): Promise<Map<number, string | undefined>> {
    const registers = await this.engine.register.list('shard.')
    return new Map(registers.map(register => [parseShard(register), parsePlacement(register)?.node]))
  }
}
