/** Connects the commands of a cluster to its engine. */
import { connectEngine } from '../../cluster/connect.js'
import type { NatsEngine } from '../../cluster/nats-engine.js'
import type { Settings } from '../../core/settings/settings.js'
import { checkedSettings } from '../terminal/checked-settings.js'
import { UsageError } from '../terminal/operands.js'

/** The settings, which have to name an engine. Throws `UsageError` if they do not. */
export async function clusterSettings(flags: readonly string[]): Promise<Settings> {
  const settings = await checkedSettings(flags)
  if (settings.cluster.engine === '') throw new UsageError('cluster.engine names no engine: set it first')
  return settings
}

/** Does something with the engine that settings name. Rejects with `EngineUnavailable` if it does not answer. */
export async function withEngine(
  settings: Settings['cluster'],
  work: (engine: NatsEngine) => Promise<void>
): Promise<void> {
  const engine = await connectEngine({ ...settings, node: 'coffer-cluster' })
  try {
    await work(engine)
  } finally {
    await engine.close()
  }
}
