/** The composition root: builds everything from the configuration, listens, and closes in reverse order. */
import { join } from 'node:path'
import { LocalChangeBus } from '../core/changes.js'
import { toConfig, urlOf } from '../core/config.js'
import { loadEventTypes } from '../core/event-types.js'
import { sealsOf } from '../core/integrity.js'
import { LiveFeed } from '../core/live-feed.js'
import { Deliveries } from '../core/webhooks/deliveries.js'
import { WebhookSender } from '../core/webhooks/sender.js'
import { silentLog, type Log } from '../core/log.js'
import { startJobs } from '../core/jobs.js'
import type { Core } from '../core/method.js'
import { methods } from '../core/methods/index.js'
import { createPasswords } from '../core/passwords.js'
import { Registry } from '../core/registry.js'
import { createThrottle } from '../core/throttle.js'
import { HolderFollower } from '../core/series/follow.js'
import type { Settings } from '../core/settings.js'
import { systemClock, type Clock } from '../core/time.js'
import { warnOfMalformedPairs } from '../core/trusted-apps.js'
import { packageDirectory, version } from '../core/version.js'
import { Accounts } from '../storage/accounts.js'
import { DiskAttachments } from '../storage/attachments.js'
import { Layout } from '../storage/layout.js'
import { lockDirectory } from '../storage/lock.js'
import { PlatformStore } from '../storage/platform-store.js'
import { loadAuthorizationStep } from './authorization-step.js'
import { fitDescriptors } from './descriptors.js'
import { createApp, createSeriesApp } from './http/app.js'
import { clientAddress } from './http/client-address.js'
import { Listener } from './http/listener.js'
import { readFiles } from './http/static.js'
import { Websockets } from './websocket.js'

export interface ServerOptions {
  readonly clock?: Clock
  readonly log?: Log
}

/** A running service. */
export interface Server {
  /** Base URL, without a slash at the end. */
  readonly url: string
  /** Base URL of the port that serves series only, if there is one. */
  readonly seriesUrl?: string
  readonly core: Core
  readonly registry: Registry
  /** Brings up to date what otherwise follows within a second, such as holders of series. */
  settle(): Promise<void>
  /** Ends what is in flight, then closes everything. */
  close(): Promise<void>
}

/** Starts the service. Rejects when the port is taken or the data directory cannot be used. */
export async function startServer(
  settings: Settings,
  { clock = systemClock, log = silentLog }: ServerOptions = {}
): Promise<Server> {
  const closers: (() => Promise<void> | void)[] = []
  const close = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()!()
  }
  try {
    const fitting = fitDescriptors(settings, log)
    const layout = new Layout(fitting.dataDir)
    closers.push(lockDirectory(layout.lockFile))
    // The port comes before the rest: the service's own URL may depend on it.
    const listener = await Listener.open(fitting)
    closers.push(() => listener.close(0))
    const config = toConfig(fitting, version, listener.port)
    warnOfMalformedPairs(config, log)
    const platform = new PlatformStore(layout)
    closers.push(() => platform.close())
    const accounts = new Accounts(layout, platform, {
      ...config.storage,
      maxOpen: config.storage.maxOpenUsers,
      keeping: { seals: sealsOf(config.integrity), versioning: config.versioning },
      onSyncFailure: error => {
        log.error('a write could not be synced to disk: stopping', { cause: error })
        process.exit(1)
      },
      onTrouble: (accountId, cause) => log.error('trouble with the file of an account', { accountId, cause })
    })
    closers.push(() => accounts.close())
    const authorizationStep = await loadAuthorizationStep(config.auth.authorizationStep)
    const webhookSender = new WebhookSender(config, clock)
    const core: Core = {
      config,
      clock,
      log,
      platform,
      accounts,
      attachments: new DiskAttachments(layout),
      eventTypes: await loadEventTypes(config, log),
      passwords: createPasswords(),
      throttle: createThrottle(config, clock),
      bus: new LocalChangeBus(cause => log.error('a listener failed', { cause })),
      webhookSender,
      ...(authorizationStep ? { authorizationStep } : {})
    }
    const registry = new Registry(core, methods)
    const jobs = startJobs(core)
    closers.push(() => jobs.stop())
    const app = createApp(registry, readFiles(join(packageDirectory, 'web', 'assets')))
    const handle = app.callback()
    listener.serve((request, response) => void handle(request, response), config)
    const deliveries = new Deliveries(core, webhookSender)
    closers.push(() => deliveries.close(config.shutdownSeconds / 2))
    // What is in flight ends before anything is closed that it needs.
    closers.push(() => listener.close(config.shutdownSeconds))
    const feed = new LiveFeed(core)
    closers.push(() => feed.close())
    const addressOf = clientAddress(config.http.trustedProxies)
    const websockets = new Websockets(listener.server, registry, feed, addressOf)
    closers.push(() => websockets.close(config.shutdownSeconds))
    void deliveries.start()
    const follower = new HolderFollower(core)
    closers.push(() => follower.close())
    const seriesUrl = await serveSeries(registry, closers)
    return {
      url: urlOf(settings.host, listener.port),
      ...(seriesUrl === undefined ? {} : { seriesUrl }),
      core,
      registry,
      settle: () => follower.catchUp(),
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Serves series on a port of their own, if the operator wants one; answers its URL. */
async function serveSeries(
  registry: Registry,
  closers: (() => Promise<void> | void)[]
): Promise<string | undefined> {
  const { config } = registry.core
  if (config.hf.port === null) return undefined
  const listener = await Listener.open(config, config.hf.port)
  closers.push(() => listener.close(config.shutdownSeconds))
  const handle = createSeriesApp(registry).callback()
  listener.serve((request, response) => void handle(request, response), config)
  return urlOf(config.host, listener.port)
}
