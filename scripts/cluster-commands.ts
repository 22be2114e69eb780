/** The commands for clusters. */
import type { Command } from 'commander'
import type { ClusterInitOptions } from './commands/cluster.js'
import type { RescueOptions } from './commands/cluster-rescue.js'
import type { JsonOption } from './terminal/output.js'
import { addCommand } from './terminal/add-command.js'

/** Adds the commands for clusters. */
export function addClusterCommands(program: Command): void {
  const cluster = program.command('cluster').description('Manage a cluster of several nodes')
  addCommand(
    cluster,
    'init',
    'Create the engine streams or change their limits, and start the cluster with the data directory',
    async (args, options: ClusterInitOptions) =>
      (await import('./commands/cluster.js')).initCluster(args, options)
  )
    .option('--shard-bytes <number>', 'Maximum bytes of the log of each of the 64 shards', '268435456')
    .option(
      '--object-bytes <number>',
      'Maximum bytes of attachments and snapshots in the engine',
      '17179869184'
    )
    .option('--json', 'Print the result as JSON')
  addCommand(
    cluster,
    'status',
    'List nodes, their shards, and open alerts. The exit code is 1 if there are alerts',
    async (args, options: JsonOption) => (await import('./commands/cluster.js')).clusterStatus(args, options)
  ).option('--json', 'Print them as JSON')
  addCommand(cluster, 'move', 'Move a shard to a node', async (args, options: JsonOption) =>
    (await import('./commands/cluster.js')).moveShard(args, options)
  )
    .usage('<shard> <node> [options]')
    .option('--json', 'Print the result as JSON')
  addCommand(cluster, 'drain', 'Move all shards of a node to others', async (args, options: JsonOption) =>
    (await import('./commands/cluster.js')).drainNode(args, options)
  )
    .usage('<node> [options]')
    .option('--json', 'Print the result as JSON')
  addCommand(
    cluster,
    'rescue',
    "List the copies of an account that can't be served, or recover it from one",
    async (args, options: RescueOptions) =>
      (await import('./commands/cluster-rescue.js')).rescueAccount(args, options)
  )
    .usage('<user> [options]')
    .option('--from <copy>', 'Copy to recover from, such as n1/file')
    .option('--accept-loss', 'Recover even if later commits are lost')
    .option('--json', 'Print the result as JSON')
}
