/** Settings of a cluster: several nodes that serve the same users. (docs/cluster.md) */
import { Type, type Static } from 'typebox'
import { group, path, integer } from '../kinds.js'
import type { TextFormName } from '../text-forms.js'

export const cluster = group({
  node: Type.String({
    default: '',
    pattern: '^(?:[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?)?$',
    description:
      'Unique name of this node: lowercase letters, digits and hyphens. If empty, the service runs without a cluster'
  }),
  engine: Type.String({
    default: '',
    form: 'engineUrls' satisfies TextFormName,
    description: 'URLs of the NATS servers that all nodes share, separated by commas'
  }),
  engineCredentials: path(
    'Credentials file for the NATS servers. If empty, nodes connect without credentials',
    ''
  ),
  engineMonitors: Type.String({
    default: '',
    form: 'webUrls' satisfies TextFormName,
    description:
      'URLs of the monitoring ports of the NATS servers, separated by commas. Their settings and replicas are checked there. If empty, they are not checked'
  }),
  nodeUrl: Type.String({
    default: '',
    pattern: '^(?:https?://[^\\s?#@]+)?$',
    form: 'webUrl' satisfies TextFormName,
    description:
      'Base URL at which clients reach this node directly. If empty, clients are not sent to single nodes'
  }),
  leaseSeconds: integer(
    'Time that a node answers reads after the engine last confirmed its lease, in seconds',
    6,
    2,
    600
  ),
  takeoverSeconds: integer(
    'Time without a response after which other nodes take over the shards of a node, in seconds. Must be longer than leaseSeconds',
    8,
    3,
    3600
  ),
  compareSeconds: integer(
    'Interval between comparisons of the replicas on the NATS servers, in seconds. They are always compared before a takeover',
    60,
    1,
    3600
  ),
  objects: Type.String({
    default: 'nats',
    pattern: '^(?:nats|s3://[^\\s/?#]+(?:[/?][^\\s#]*)?)$',
    description: 'Storage for shared attachments and snapshots: nats, or s3://bucket?endpoint=URL'
  }),
  snapshotBytes: integer(
    'Bytes of changes to an account after which a snapshot replaces them',
    1024 * 1024,
    64 * 1024
  ),
  cacheBytes: integer(
    'Maximum size of the attachment cache on the disk of a node, in bytes. 0: no limit',
    10 * 1024 * 1024 * 1024,
    0
  )
})
type Cluster = Static<typeof cluster>

/**
 * Returns the problems of the cluster settings together. The values may be of any type: the schema check reports wrong
 * types.
 */
export function findClusterProblems(settings: Cluster, workers: unknown): string[] {
  const { engine, leaseSeconds, node, takeoverSeconds } = settings
  if (node === '') return []
  const problems: string[] = []
  if (engine === '') problems.push('cluster.engine must name the NATS servers when cluster.node is set')
  if (workers !== 0) problems.push('workers must be 0 when cluster.node is set')
  if (takeoverSeconds < leaseSeconds + 2)
    problems.push('cluster.takeoverSeconds must be at least 2 more than cluster.leaseSeconds')
  return problems
}
