/** The connection of commands that restore into a cluster. */
import type { Engine } from '../../../cluster/engine.js'
import type { FileThread } from '../../../cluster/files/file-thread.js'
import type { Objects } from '../../../cluster/objects.js'
import type { Layout } from '../../../storage/files/layout.js'
import type { PlatformStore } from '../../../storage/platform/platform-store.js'

/** The cluster that an account is restored into. */
export interface ClusterConnection {
  readonly engine: Engine
  readonly objects: Objects
  readonly files: FileThread
  /** A temporary folder that contains the cluster's platform file. */
  readonly layout: Layout
  /** The platform file, which follows the log as on a node. */
  readonly platform: PlatformStore
  /** Time after which an engine that does not respond is considered unavailable. */
  readonly timeoutMs: number
}
