/** The composition root: builds everything from the configuration, listens, and closes in reverse order. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { LocalChangeBus } from '../core/changes.js'
import { toConfig } from '../core/config.js'
import { loadEventTypes } from '../core/event-types.js'
import { silentLog, type Log } from '../core/log.js'
import type { Core } from '../core/method.js'
import { methods } from '../core/methods/index.js'
import { createPasswords } from '../core/passwords.js'
import { Registry } from '../core/registry.js'
import { createThrottle } from '../core/throttle.js'
import type { Settings } from '../core/settings.js'
import { systemClock, type Clock } from '../core/time.js'
import { warnOfMalformedPairs } from '../core/trusted-apps.js'
import { packageDirectory, version } from '../core/version.js'
import { Accounts } from '../storage/accounts.js'
import { Layout } from '../storage/layout.js'
import { PlatformStore } from '../storage/platform-store.js'
import { createApp } from './http/app.js'
import { Listener } from './http/listener.js'
import { readFiles } from './http/static.js'

export interface ServerOptions {
  readonly clock?: Clock
  readonly log?: Log
}

/** A running service. */
export interface Server {
  /** Base URL, without a slash at the end. */
  readonly url: string
  readonly core: Core
  readonly registry: Registry
  /** Ends what is in flight, then closes everything. */
  close(): Promise<void>
}

/** Starts the service. Rejects when the port is taken or the data directory cannot be used. */
export async function startServer(
  settings: Settings,
  { clock = systemClock, log = silentLog }: ServerOptions = {}
): Promise<Server> {
  // The port comes first: the service's own URL may depend on it.
  const listener = await Listener.open(settings)
  const config = toConfig(settings, version, listener.port)
  mkdirSync(config.dataDir, { recursive: true })
  warnOfMalformedPairs(config, log)
  const layout = new Layout(config.dataDir)
  const platform = new PlatformStore(layout.platformFile)
  const accounts = new Accounts(layout, platform, {
    ...config.storage,
    maxOpen: config.storage.maxOpenUsers,
    onSyncFailure: error => {
      log.error('a write could not be synced to disk: stopping', { cause: error })
      process.exit(1)
    },
    onTrouble: (accountId, cause) => log.error('trouble with the file of an account', { accountId, cause })
  })
  const core: Core = {
    config,
    clock,
    log,
    platform,
    accounts,
    eventTypes: await loadEventTypes(config, log),
    passwords: createPasswords(),
    throttle: createThrottle(config, clock),
    bus: new LocalChangeBus(cause => log.error('a listener failed', { cause }))
  }
  const registry = new Registry(core, methods)
  const app = createApp(registry, readFiles(join(packageDirectory, 'web', 'assets')))
  const handle = app.callback()
  listener.serve((request, response) => void handle(request, response), config)
  return {
    url: `http://${host(settings.host)}:${listener.port}`,
    core,
    registry,
    async close() {
      await listener.close(config.shutdownSeconds)
      await accounts.close()
      platform.close()
    }
  }
}

/** The host as it stands in a URL. */
function host(name: string): string {
  if (name === '0.0.0.0' || name === '::') return 'localhost'
  return name.includes(':') ? `[${name}]` : name
}
