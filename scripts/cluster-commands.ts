/** The commands for clusters. */
import type { Command } from 'commander'
import type { ClusterInitOptions } from './commands/cluster.js'
import type { RescueOptions } from './commands/cluster-rescue.js'
import type { JsonOption } from './terminal/answer.js'
import { offer } from './terminal/offer.js'

/** Adds them. */
export function addClusterCommands(program: Command): void {
  const cluster = program.command('cluster').description('Run several nodes that serve the same users')
  offer(
    cluster,
    'init',
    'Make the streams of the engine, or change their limits; begin the cluster with the data directory',
    async (args, options: ClusterInitOptions) =>
      (await import('./commands/cluster.js')).initCluster(args, options)
  )
    .option('--shard-bytes <number>', 'Most bytes of the logs of each of 64 shards', '268435456')
    .option('--object-bytes <number>', 'Most bytes of attachments and snapshots in the engine', '17179869184')
    .option('--json', 'Print the result as JSON')
  offer(
    cluster,
    'status',
    'List the nodes, what they serve, and the alarms; ends with 1 if there are any',
    async (args, options: JsonOption) =>
      (await import('./commands/cluster-status.js')).clusterStatus(args, options)
  ).option('--json', 'Print them as JSON')
  offer(cluster, 'move', 'Move a shard to a node', async (args, options: JsonOption) =>
    (await import('./commands/cluster.js')).moveShard(args, options)
  )
    .usage('<shard> <node> [options]')
    .option('--json', 'Print the result as JSON')
  offer(cluster, 'drain', 'Move all shards of a node to others', async (args, options: JsonOption) =>
    (await import('./commands/cluster.js')).drainNode(args, options)
  )
    .usage('<node> [options]')
    .option('--json', 'Print the result as JSON')
  offer(
    cluster,
    'rescue',
    'Show what copies there are of an account that cannot be served, or take one',
    async (args, options: RescueOptions) =>
      (await import('./commands/cluster-rescue.js')).rescueAccount(args, options)
  )
    .usage('<user> [options]')
    .option('--from <copy>', 'The copy to go on from, as it is shown, such as n1/file')
    .option('--accept-loss', 'Go on from it although the log has more')
    .option('--json', 'Print the result as JSON')
}
