/** Which node of a cluster makes the backups of all of it: the one that serves the first shard, so that others step in for it. */
import { setTimeout as wait } from 'node:timers/promises'
import { connectEngine } from '../../../cluster/connect.js'
import { placedIn, shardKey } from '../../../cluster/nodes/places.js'
import type { Settings } from '../../../core/settings/settings.js'

/** How long it is waited for that the shard is served at all, and the time between two looks, in milliseconds. */
const [patienceMs, pauseMs] = [60_000, 1000]

/**
 * Whether it is up to the node of these settings. Rejects with `EngineUnavailable` if no server of the engine answers, with an
 * error if nobody serves the first shard, and when `signal` says that nobody wants to know any more.
 */
export async function isTurnOf({ cluster }: Settings, signal: AbortSignal): Promise<boolean> {
  const engine = await connectEngine({ ...cluster, node: `${cluster.node}-backup` })
  try {
    for (const deadline = performance.now() + patienceMs; performance.now() < deadline;) {
      const found = await engine.register.get(shardKey(0))
      const placed = found && placedIn(found)
      if (placed) return placed.node === cluster.node
      await wait(pauseMs, undefined, { signal })
    }
    // Whoever says that it is not his turn tells nobody: then no one would make a backup, and no one hear of it.
    throw new Error('Nobody serves the first shard, whose node makes the backups')
  } finally {
    await engine.close()
  }
}
