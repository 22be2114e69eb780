/** `coffer cluster status`: lists the nodes, the shards that they serve, and alerts. (docs/cluster.md#alarms) */
import { createOverview } from '../../cluster/nodes/overview.js'
import { requestAlarms } from '../../server/nodes/control.js'
import { printResult, type JsonOption } from '../terminal/output.js'
import { formatCount } from '../terminal/format-count.js'
import { splitArguments } from '../terminal/operands.js'
import { loadClusterSettings, withEngine } from './cluster-engine.js'

/** Prints the nodes with their number of shards, and the alerts. The exit code is 1 if there are alerts. */
export async function clusterStatus(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags } = splitArguments(args)
  const { cluster } = await loadClusterSettings(flags)
  await withEngine(cluster, async engine => {
    const { alarms, nodes } = await createOverview(
      engine.register,
      async node => await requestAlarms(engine, node)
    )
    const lines = [
      ...nodes.map(
        each =>
          `${each.node}\t${each.state}\t${each.software}\t${formatCount(each.shards.length, 'shard')}\t${each.url}`
      ),
      ...alarms.map(({ kind, text }) => `alert\t${kind}\t${text}`)
    ]
    printResult(json, { nodes, alarms }, ...lines)
    if (alarms.length > 0) process.exitCode = 1
  })
}
