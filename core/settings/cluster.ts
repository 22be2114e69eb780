/** Settings of a cluster: several nodes that serve the same users. (docs/cluster.md) */
import { Type, type Static } from 'typebox'
import { group, path, whole } from './kinds.js'
import type { TextFormName } from './text-forms.js'

export const cluster = group({
  node: Type.String({
    default: '',
    pattern: '^(?:[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?)?$',
    description:
      'Name of this node, another one for each: lower-case letters, digits and hyphens; empty: no cluster'
  }),
  engine: Type.String({
    default: '',
    form: 'engineUrls' satisfies TextFormName,
    description: 'URLs of the servers of NATS that all nodes share, separated by commas'
  }),
  engineCredentials: path(
    'File of credentials with which nodes sign in to these servers; empty: none are asked for',
    ''
  ),
  engineMonitors: Type.String({
    default: '',
    form: 'webUrls' satisfies TextFormName,
    description:
      'URLs of the monitoring ports of these servers, separated by commas: their settings and replicas are checked there; empty: nothing is checked'
  }),
  nodeUrl: Type.String({
    default: '',
    pattern: '^(?:https?://[^\\s?#@]+)?$',
    form: 'webUrl' satisfies TextFormName,
    description:
      'Base URL under which clients reach this node alone, if they may go straight to the one that serves them; empty: they may not'
  }),
  leaseSeconds: whole(
    'Time for which a node answers reads after the engine has last confirmed that it lives, seconds',
    6,
    2,
    600
  ),
  takeoverSeconds: whole(
    'Silence after which other nodes take over what a node serves, seconds; longer than leaseSeconds',
    8,
    3,
    3600
  ),
  compareSeconds: whole(
    'Time between two comparisons of the copies that these servers have, seconds; before a takeover they are compared anyway',
    60,
    1,
    3600
  ),
  objects: Type.String({
    default: 'nats',
    pattern: '^(?:nats|s3://[^\\s/?#]+(?:[/?][^\\s#]*)?)$',
    description:
      'Where attachments and snapshots are kept that all nodes share: nats, or s3://bucket?endpoint=URL'
  }),
  snapshotBytes: whole(
    'Bytes of changes after which a snapshot of an account replaces them',
    1024 * 1024,
    64 * 1024
  ),
  cacheBytes: whole(
    'Most bytes of attachments that a node keeps on its own disk, besides those that all nodes share; 0: any number',
    10 * 1024 * 1024 * 1024,
    0
  )
})
type Cluster = Static<typeof cluster>

/** Returns what is wrong with the settings of a cluster together. They may be of any type: the schema check reports that. */
export function findClusterProblems(settings: Cluster, workers: unknown): string[] {
  const { engine, leaseSeconds, node, takeoverSeconds } = settings
  if (node === '') return []
  const problems: string[] = []
  if (engine === '') problems.push('cluster.engine has to name servers where cluster.node is set')
  if (workers !== 0) problems.push('workers has to be 0 where cluster.node is set')
  if (takeoverSeconds < leaseSeconds + 2)
    problems.push('cluster.takeoverSeconds has to be at least 2 more than cluster.leaseSeconds')
  return problems
}
