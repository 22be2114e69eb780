/** The composition root: reads the configuration, listens, starts what answers, and closes in reverse order. */
import { join } from 'node:path'
import { toConfig, urlOf, type Config } from '../core/settings/config.js'
import type { Dispatcher } from '../core/call/dispatcher.js'
import { silentLog, type Log } from '../core/log.js'
import type { Registry } from '../core/dispatch/registry.js'
import { warnOfShortKey } from '../core/auth/admin.js'
import { warnOfMissingEndpoints } from '../core/outgoing/messaging.js'
import type { Settings } from '../core/settings/settings.js'
import { systemClock, type Clock } from '../core/time.js'
import { warnOfMalformedPairs } from '../core/auth/trusted-apps.js'
import { packageDirectory, version } from '../core/version.js'
import { Layout } from '../storage/files/layout.js'
import { lockDirectory } from '../storage/sqlite/lock.js'
import { fitDescriptors } from './descriptors.js'
import { startHost, type Host } from './host.js'
import type { Runtime } from './runtime.js'
import { Health } from './health.js'
import { createApp, createSeriesApp } from '../transports/http/app.js'
import { clientAddress, standsForMany } from '../transports/http/request/client-address.js'
import { Listener } from '../transports/http/listener.js'
import { serveMetrics, type Operations } from '../transports/http/pages/operations.js'
import { readFiles } from '../transports/http/pages/static.js'
import { MeteredDispatcher } from './metered-dispatcher.js'
import { createMetrics } from './metrics.js'
import { Websockets } from '../transports/websocket/websocket.js'
import type { Services } from '../core/call/services.js'

export interface ServerOptions {
  readonly clock?: Clock
  readonly log?: Log
  /** Modules (URLs) with methods beside the API's own, in an export named `methods`. */
  readonly methodModules?: readonly string[]
}

/** A running service. */
export interface Server {
  /** Base URL, without a slash at the end. */
  readonly url: string
  /** Base URL of the port that serves series only, if there is one. */
  readonly seriesUrl?: string
  /** Base URL of the port that serves figures only, if there is one. */
  readonly metricsUrl?: string
  readonly dispatcher: Dispatcher
  /** The core, where it runs in this thread; otherwise reading it throws. */
  readonly core: Services
  /** The registry, where it runs in this thread; otherwise reading it throws. */
  readonly registry: Registry
  /** Brings up to date what otherwise follows within a second, such as holders of series. */
  settle(): Promise<void>
  /** Ends what is in flight, then closes everything. */
  close(): Promise<void>
}

/** Starts the service. Rejects when the port is taken or the data directory cannot be used. */
export async function startServer(
  settings: Settings,
  { clock = systemClock, log = silentLog, methodModules = [] }: ServerOptions = {}
): Promise<Server> {
  const closers: (() => Promise<void> | void)[] = []
  const close = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()!()
  }
  try {
    const fitting = fitDescriptors(settings, log)
    closers.push(lockDirectory(new Layout(fitting.dataDir).lockFile))
    // The port comes before the rest: the service's own URL may depend on it.
    const listener = await Listener.open(fitting)
    closers.push(() => listener.close(0))
    const config = toConfig(fitting, version, listener.port)
    warnOfMalformedPairs(config, log)
    warnOfMissingEndpoints(config, log)
    warnOfShortKey(config, log)
    const backend = await startHost(config, { clock, log, methodModules })
    closers.push(() => backend.close())
    const dispatcher = new MeteredDispatcher(backend.dispatcher)
    const health = new Health(() => backend.readiness())
    const operations = {
      health,
      metrics: createMetrics({
        calls: dispatcher.calls,
        gauges: () => backend.gauges(),
        connections: () => listener.connections(),
        sockets: () => websockets.size
      })
    }
    const app = createApp(dispatcher, {
      assets: readFiles(join(packageDirectory, 'web', 'assets')),
      pages: readFiles(join(packageDirectory, 'dist', 'web')),
      operations
    })
    const { trustedProxies } = config.http
    const clients = {
      addressOf: clientAddress(trustedProxies),
      standsForMany: standsForMany(trustedProxies)
    }
    const websockets = new Websockets(dispatcher, backend.feed, clients)
    listener.serve(app, config, websockets)
    // What is in flight ends before anything is closed that it needs.
    closers.push(() => listener.close(config.shutdownSeconds))
    closers.push(() => backend.drain())
    closers.push(() => websockets.close(config.shutdownSeconds))
    const seriesUrl = await serveSeries(dispatcher, closers)
    const metricsUrl = await serveFigures(config, operations, closers)
    closers.push(() => health.stop())
    return {
      url: urlOf(settings.host, listener.port),
      ...(seriesUrl === undefined ? {} : { seriesUrl }),
      ...(metricsUrl === undefined ? {} : { metricsUrl }),
      dispatcher,
      get core() {
        return engineOf(backend).core
      },
      get registry() {
        return engineOf(backend).registry
      },
      settle: () => backend.settle(),
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}

function engineOf({ engine }: Host): Runtime {
  if (!engine) throw new Error('The core runs in other threads')
  return engine
}

/** Serves series on a port of their own, if the operator wants one; answers its URL. */
async function serveSeries(
  dispatcher: Dispatcher,
  closers: (() => Promise<void> | void)[]
): Promise<string | undefined> {
  const { config } = dispatcher.core
  if (config.hf.port === null) return undefined
  const listener = await Listener.open(config, config.hf.port)
  closers.push(() => listener.close(config.shutdownSeconds))
  listener.serve(createSeriesApp(dispatcher), config)
  return urlOf(config.host, listener.port)
}

/** Serves figures on a port of their own, if the operator wants one; answers its URL. */
async function serveFigures(
  config: Config,
  operations: Operations,
  closers: (() => Promise<void> | void)[]
): Promise<string | undefined> {
  if (config.metrics.port === null) return undefined
  const listener = await Listener.open(config, config.metrics.port)
  closers.push(() => listener.close(0))
  listener.serve(serveMetrics(operations), config)
  return urlOf(config.host, listener.port)
}
