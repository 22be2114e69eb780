/** Connects the commands of a cluster to its engine. */
import { connectEngine } from '../../cluster/connect.js'
import type { NatsEngine } from '../../cluster/nats-engine.js'
import type { Settings } from '../../core/settings/settings.js'
import { controlledIn, controlMessage, type Control } from '../../server/nodes/control.js'
import { print } from '../terminal/answer.js'
import { checkedSettings } from '../terminal/checked-settings.js'
import { UsageError } from '../terminal/operands.js'

/** The settings, which have to name an engine. Throws `UsageError` if they do not. */
export async function clusterSettings(flags: readonly string[]): Promise<Settings> {
  const settings = await checkedSettings(flags)
  if (settings.cluster.engine === '') throw new UsageError('cluster.engine is not set')
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

/** Has a node do something within so many milliseconds, and prints what it says of that. Ends with 1 if it was not done. */
export async function haveDone(
  engine: NatsEngine,
  node: string,
  control: Control,
  patienceMs: number,
  json?: true
): Promise<void> {
  const answer = controlledIn(await engine.send(node, controlMessage(control), patienceMs))
  print(json, answer, answer.message)
  if (!answer.ok) process.exitCode = 1
}
