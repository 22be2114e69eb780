/** A cluster of three nodes with small shards. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { NatsEngine } from '../../../cluster/nats-engine.js'
import { command, type Ended } from '../../support/command.js'
import { EngineServers } from '../engine-servers.js'
import { NodeProcess } from '../node-processes.js'

export interface Cluster {
  readonly root: string
  readonly servers: EngineServers
  readonly engine: NatsEngine
  readonly nodes: readonly [NodeProcess, NodeProcess, NodeProcess]
  /** Runs `coffer cluster …` with the settings of the cluster. */
  ask(...args: readonly string[]): Promise<Ended>
}

/** Starts the engine of a cluster of three nodes, which are not started yet. */
export async function prepare(t: Test): Promise<Cluster> {
  const root = mkdtempSync(join(tmpdir(), 'coffer-runbook-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const servers = await EngineServers.start(t)
  const engine = await servers.connect(t)
  const urls = servers.urls.join(',')
  const monitors = `--cluster.engineMonitors=${servers.monitors.join(',')}`
  const made = (name: string): NodeProcess =>
    new NodeProcess(t, {
      name,
      directory: join(root, name),
      engine: urls,
      flags: [monitors, '--cluster.compareSeconds=2', '--cluster.snapshotBytes=1000000000']
    })
  return {
    root,
    servers,
    engine,
    nodes: [made('n1'), made('n2'), made('n3')],
    ask: async (...args) =>
      await command([
        'cluster',
        ...args,
        `--dataDir=${join(root, 'n1')}`,
        `--cluster.engine=${urls}`,
        monitors
      ])
  }
}
