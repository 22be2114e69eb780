/** Connects to what the nodes of a cluster share, as the settings say. */
import { EngineUnavailable, type Engine } from './engine.js'
import { NatsEngine } from './nats-engine.js'
import type { Objects } from './objects.js'

/** The settings that name what is shared. */
export interface SharedSettings {
  readonly node: string
  /** URLs, separated by commas. */
  readonly engine: string
  readonly engineCredentials: string
}

/** Rejects with `EngineUnavailable` if no server of the engine answers. */
export async function connect(
  settings: SharedSettings
): Promise<{ readonly engine: Engine; readonly objects: Objects }> {
  const { engine, engineCredentials, node } = settings
  const servers = engine.split(',').map(url => url.trim())
  const credentials = engineCredentials === '' ? undefined : engineCredentials
  return { engine: await NatsEngine.connect({ servers, credentials, name: node }), objects: nowhere }
}

/** No place for objects: logs grow, and no snapshot replaces their records. */
const nowhere: Objects = {
  put: () => Promise.reject(new EngineUnavailable(new Error('There is no place for objects'))),
  get: () => Promise.resolve(false),
  remove: () => Promise.resolve(),
  list: () => Promise.resolve([])
}
