/** Connects the cluster commands to the engine. */
import { connectEngine } from '../../cluster/connect.js'
import type { NatsEngine } from '../../cluster/nats-engine.js'
import type { Settings } from '../../core/settings/settings.js'
import {
  parseControlResponse,
  encodeControlRequest,
  type ControlRequest
} from '../../server/nodes/control.js'
import { printResult } from '../terminal/output.js'
import { loadCheckedSettings } from '../terminal/load-checked-settings.js'
import { UsageError } from '../terminal/operands.js'

/** Reads the settings. Throws `UsageError` if they name no engine. */
export async function loadClusterSettings(flags: readonly string[]): Promise<Settings> {
  const settings = await loadCheckedSettings(flags)
  if (settings.cluster.engine === '') throw new UsageError('cluster.engine is not set')
  return settings
}

/** Runs `work` with the engine that the settings name. Rejects with `EngineUnavailable` if it does not respond. */
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

/** Sends a request to a node and prints its reply. The exit code is 1 if the node did not fulfil it. */
export async function sendControl(
  engine: NatsEngine,
  node: string,
  control: ControlRequest,
  patienceMs: number,
  json?: true
): Promise<void> {
  const answer = parseControlResponse(await engine.send(node, encodeControlRequest(control), patienceMs))
  printResult(json, answer, answer.message)
  if (!answer.ok) process.exitCode = 1
}
