/** Several platform files that follow one log, and an unreliable engine. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import type { Test } from 'tap'
import { Conflict, EngineUnavailable, type Engine } from '../../../cluster/engine.js'
import { beginPlatform } from '../../../cluster/platform/begin-platform.js'
import { PlatformLog, type PlatformLogOptions } from '../../../cluster/platform/log.js'
import { Layout } from '../../../storage/files/layout.js'
import type { Command } from '../../../storage/platform/commands.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import { MemoryCluster, MemoryEngine } from '../memory-engine.js'
import type { Objects } from '../../../cluster/objects.js'
import { MemoryObjects } from '../memory-objects.js'

/** Outcome of an append: acknowledged; lost; stored without acknowledgement; stored some turns later. */
export type Fate = 'late' | 'lost' | 'unanswered' | 'well'

/** A connection whose appends have chosen outcomes. */
export class FatefulEngine extends MemoryEngine {
  fate: () => Fate = () => 'well'

  override async append(subject: string, expected: number, bytes: Uint8Array): Promise<number> {
    const fate = this.fate()
    if (fate === 'lost') throw new EngineUnavailable()
    const arrive = async (): Promise<number> => await super.append(subject, expected, bytes)
    if (fate === 'late') {
      setTimeout(() => void arrive().catch(assertRefusal), 20)
      throw new EngineUnavailable()
    }
    const sequence = await arrive()
    if (fate === 'unanswered') throw new EngineUnavailable()
    return sequence
  }
}

function assertRefusal(error: unknown): void {
  if (!(error instanceof Conflict || error instanceof EngineUnavailable)) throw error
}

/** A node, reduced to its platform file. */
export class PlatformNode {
  readonly trouble: string[] = []
  /** What has been applied since the node started, or `undefined` where the file was replaced. */
  readonly heard: (Command | undefined)[] = []
  platform: PlatformStore
  log: PlatformLog | undefined

  constructor(
    readonly layout: Layout,
    readonly engine: Engine,
    private readonly objects: Objects,
    private readonly options: Partial<PlatformLogOptions>
  ) {
    mkdirSync(layout.root, { recursive: true })
    this.platform = this.#opened()
  }

  async follow(): Promise<this> {
    this.log = await PlatformLog.open(this.platform, {
      engine: this.engine,
      objects: this.objects,
      draftsDirectory: this.layout.root,
      timeoutMs: 5000,
      pollMs: 20,
      ...this.options,
      onError: error => void this.trouble.push(error.message)
    })
    return this
  }

  /** Makes this file the start of the log. */
  async begin(): Promise<void> {
    const { engine, layout, objects, platform } = this
    await beginPlatform(platform, { engine, objects, draftsDirectory: layout.root })
  }

  /** Stops without waiting for pending changes, and restarts with the file as it is. */
  async restart(): Promise<void> {
    await this.close()
    this.platform = this.#opened()
    await this.follow()
  }

  async close(): Promise<void> {
    await this.log?.close()
    this.log = undefined
    this.platform.close()
  }

  /** Returns all rows of all tables, except for the position of the file. */
  dump(): Record<string, unknown[]> {
    const db = new SQLite(this.layout.platformFile, { readonly: true })
    const names = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'log_position' ORDER BY name")
      .pluck()
      .all() as string[]
    const tables = names.map(name => [name, db.prepare(`SELECT * FROM "${name}"`).all()] as const)
    db.close()
    return Object.fromEntries(tables)
  }

  #opened(): PlatformStore {
    const platform = new PlatformStore(this.layout)
    platform.onChange(command => this.heard.push(command))
    return platform
  }
}

/** An in-memory cluster whose nodes are closed when the test ends. */
export class PlatformWorld {
  readonly cluster = new MemoryCluster()
  readonly objects = new MemoryObjects()
  readonly #directory = mkdtempSync(join(tmpdir(), 'coffer-platform-'))
  readonly #nodes: PlatformNode[] = []

  constructor(t: Test) {
    t.teardown(async () => {
      for (const node of this.#nodes) await node.close().catch(() => undefined)
      rmSync(this.#directory, { recursive: true, force: true })
    })
  }

  /** Creates a node that does not follow yet. */
  node(options: Partial<PlatformLogOptions> = {}): PlatformNode & { readonly engine: FatefulEngine } {
    const engine = new FatefulEngine(this.cluster)
    this.cluster.engines.push(engine)
    const node = this.nodeWith(engine, this.objects, options)
    return node as PlatformNode & { readonly engine: FatefulEngine }
  }

  /** Creates a node on another engine. */
  nodeWith(engine: Engine, objects: Objects, options: Partial<PlatformLogOptions>): PlatformNode {
    const layout = new Layout(join(this.#directory, `node-${this.#nodes.length}`))
    const node = new PlatformNode(layout, engine, objects, options)
    this.#nodes.push(node)
    return node
  }

  /** Creates nodes that follow a log, which the first one started. */
  async nodes(
    count: number,
    options: Partial<PlatformLogOptions> = {}
  ): Promise<(PlatformNode & { readonly engine: FatefulEngine })[]> {
    const nodes = Array.from({ length: count }, () => this.node(options))
    await nodes[0]!.begin()
    for (const node of nodes) await node.follow()
    return nodes
  }
}
