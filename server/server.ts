/** The composition root: reads the configuration, listens, starts all services, and closes them in reverse order. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { toConfig, buildLocalUrl, buildLoopbackUrl, type Config } from '../core/settings/config.js'
import type { Shared } from '../cluster/connect.js'
import type { Dispatcher } from '../core/call/dispatcher.js'
import { silentLog, type Log } from '../core/log.js'
import type { Registry } from '../core/dispatch/registry.js'
import { deriveCommandKey, warnAboutShortKey } from '../core/auth/admin.js'
import { ProviderClient } from '../core/identities/provider-client.js'
import { SignIns } from '../core/identities/sign-ins.js'
import { warnAboutMissingEndpoints } from '../core/outgoing/messaging.js'
import { warnAboutPublicUrl } from '../core/service-info.js'
import type { Settings } from '../core/settings/settings.js'
import { systemClock, type Clock } from '../core/time.js'
import { warnAboutMalformedPairs } from '../core/auth/trusted-apps.js'
import { packageDirectory, version } from '../core/version.js'
import { Layout } from '../storage/files/layout.js'
import { writeServiceFile } from '../storage/files/private-files.js'
import { lockDirectory } from '../storage/sqlite/lock.js'
import type { DurabilityProvider } from '../storage/wal/durability.js'
import type { AlarmMails } from './alarm-mails.js'
import { closeAll, type Closers } from './close-all.js'
import { Health, type HealthAlarm, HealthChecks } from './health.js'
import { applyDescriptorLimit } from './descriptor-limit.js'
import { startHost } from './host.js'
import type { Host } from './host-interface.js'
import type { Runtime } from './runtime.js'
import type { BackupState } from './service-state.js'
import { createApp, createSeriesApp } from '../transports/http/app.js'
import {
  createClientAddressReader,
  createSharedAddressCheck
} from '../transports/http/request/client-address.js'
import { Listener } from '../transports/http/listener.js'
import { createMetricsListener, type OperationsSources } from '../transports/http/pages/operations.js'
import { MapFile } from '../transports/http/pages/map.js'
import { readFiles } from '../transports/http/pages/static.js'
import { createWaitingListener } from '../transports/http/pages/waiting-listener.js'
import { MeteredDispatcher } from './metered-dispatcher.js'
import { createMetrics, type Metrics } from './metrics/metrics.js'
import { Receiver } from '../transports/receive/receiver.js'
import { createMonitor } from './monitor.js'
import { Problems } from './problems.js'
import { DiskUsageMeter } from './disk-usage.js'
import { createOperatorActions } from './settings/operator-actions.js'
import { SetupService, isSetupOpen, type SettingsSource } from './setup/setup-service.js'
import { Feeds } from '../transports/feed/feed.js'
import { Fhir } from '../transports/fhir/fhir.js'
import { Prometheus } from '../transports/prometheus/prometheus.js'
import { Mcp } from '../transports/mcp/mcp.js'
import { Websockets } from '../transports/websocket/websockets.js'
import type { Services } from '../core/call/services.js'

interface ServerOptions {
  readonly clock?: Clock
  readonly log?: Log
  /** Modules (URLs) with additional methods, in an export named `methods`. */
  readonly methodModules?: readonly string[]
  /** How commits are made durable; by default, by syncing the log. Only if the core runs in this thread. */
  readonly durability?: DurabilityProvider
  /** Resources shared by the nodes of a cluster; they replace the resources configured in the settings. */
  readonly shared?: Shared
  /** Returns the state of scheduled backups; absent if no backups are scheduled. */
  readonly backups?: () => BackupState
  /** Returns the number of log lines that were dropped. */
  readonly logLinesDropped?: () => number
  /** Cancels a start that waits for the engine, which then rejects. */
  readonly signal?: AbortSignal
  /** The sources of the settings, if the service can be set up in a browser. */
  readonly setup?: SettingsSource
}

/** A running service. */
export interface Server {
  /** Base URL, without a trailing slash. */
  readonly url: string
  /** Base URL of the series port, if the settings configure such a port. */
  readonly seriesUrl?: string
  /** Base URL of the metrics port, if the settings configure such a port. */
  readonly metricsUrl?: string
  readonly dispatcher: Dispatcher
  /** The core, if it runs in this thread; otherwise reading it throws. */
  readonly services: Services
  /** The registry, if it runs in this thread; otherwise reading it throws. */
  readonly registry: Registry
  /** Completes background work that is otherwise up to a second behind, such as updates of holder events. */
  settle(): Promise<void>
  /** Waits for calls in progress, then closes everything. */
  close(): Promise<void>
}

/** Starts the service. Rejects, with everything closed, if the port or the data directory is in use or unusable. */
export async function startServer(
  settings: Settings,
  {
    backups,
    clock = systemClock,
    durability,
    log: givenLog = silentLog,
    logLinesDropped,
    methodModules = [],
    setup,
    shared,
    signal
  }: ServerOptions = {}
): Promise<Server> {
  const problems = new Problems(() => clock.now())
  const log = problems.recordFrom(givenLog)
  const closers: Closers = []
  try {
    const adjusted = applyDescriptorLimit(settings, log)
    closers.push(lockDirectory(new Layout(adjusted.dataDir).lockFile))
    // The port is opened first, since the service's own URL may depend on it.
    const listener = await Listener.open(adjusted)
    closers.push(() => listener.close(0))
    const isOpen = setup !== undefined && isSetupOpen(setup.read())
    const keyed = withAdminKey(adjusted)
    const config = Object.freeze({
      ...toConfig(isOpen ? keyed : adjusted, version, listener.port),
      commandKey: deriveCommandKey(keyed.adminKey)
    })
    warnAboutMalformedPairs(config, log)
    warnAboutMissingEndpoints(config, log)
    warnAboutShortKey(config, log)
    warnAboutPublicUrl(config, log)
    const healthChecks = new HealthChecks(config, backups)
    const host = await startHost(config, {
      clock,
      log,
      listHealthAlarms: () => healthChecks.list(),
      methodModules,
      ...(durability && { durability }),
      ...(shared && { shared }),
      ...(signal && { signal }),
      onWait: () => listener.serve(createWaitingListener(config), config)
    })
    closers.push(() => host.close())
    closers.push(await watch(config, healthChecks, { clock, log }))
    const dispatcher = new MeteredDispatcher(host.dispatcher)
    const health = new Health(() => host.readiness())
    const load = {
      gauges: () => host.gauges(),
      connections: () => listener.connections(),
      sockets: () => websockets.size,
      backups
    }
    const metrics = createMetrics({
      calls: dispatcher.calls,
      ...load,
      logLinesDropped,
      addMore: async registry => await host.addMetrics?.(registry)
    })
    const operations = { health, metrics: metrics.render }
    const monitor = createMonitor({
      ...load,
      config,
      minutes: dispatcher.calls.minutes,
      problems,
      space: new DiskUsageMeter(new Layout(config.dataDir).root, () => clock.now()),
      readiness: () => health.readiness(),
      alarms: () => host.alarms?.()
    })
    const { mapFile } = config.app
    const map = mapFile === '' ? undefined : await MapFile.open(mapFile)
    closers.push(() => map?.close())
    const providers = new ProviderClient(config, clock, log)
    closers.push(() => providers.close())
    const app = createApp(dispatcher, {
      assets: readFiles(join(packageDirectory, 'web', 'assets')),
      pages: readFiles(join(packageDirectory, 'dist', 'web')),
      operations,
      monitor,
      map,
      endpoint: new Mcp(dispatcher),
      receiver: new Receiver(dispatcher),
      readers: [new Prometheus(dispatcher), new Feeds(dispatcher), new Fhir(dispatcher)],
      signIns: new SignIns(config, clock, host.platform, providers),
      ...(setup && {
        operatorActions: createOperatorActions({ ...host, clock, log, settings, source: setup })
      }),
      ...(isOpen && { setup: new SetupService(dispatcher, new Layout(config.dataDir), setup) })
    })
    const { trustedProxies } = config.http
    const clients = {
      getAddress: createClientAddressReader(trustedProxies),
      isShared: createSharedAddressCheck(trustedProxies)
    }
    const websockets = new Websockets(dispatcher, host.notifier, clients)
    listener.serve(app, config, websockets)
    // Calls in progress finish before anything that they need is closed.
    closers.push(() => listener.close(config.shutdownSeconds))
    closers.push(() => host.drain())
    closers.push(() => websockets.close(config.shutdownSeconds))
    const seriesUrl = await serveSeriesPort(dispatcher, closers)
    const metricsUrl = await serveMetricsPort(config, operations, closers)
    closers.push(() => health.stop())
    closers.push(await sendMetrics(config, metrics, log))
    closers.push(publishToCommands(config, log))
    return {
      url: buildLocalUrl(settings.host, listener.port),
      ...(seriesUrl === undefined ? {} : { seriesUrl }),
      ...(metricsUrl === undefined ? {} : { metricsUrl }),
      dispatcher,
      get services() {
        return requireRuntime(host).services
      },
      get registry() {
        return requireRuntime(host).registry
      },
      settle: () => host.settle(),
      close: () => closeAll(closers)
    }
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

/**
 * Returns the settings with an admin key. If none is set, it is a random one that only this process knows: set-up needs it to
 * create the operator's account.
 */
function withAdminKey(settings: Settings): Settings {
  return settings.adminKey === ''
    ? { ...settings, adminKey: randomBytes(24).toString('base64url') }
    : settings
}

/** Lets commands on this machine find the service. Returns a function that ends this. */
function publishToCommands({ commandKey, dataDir, host, port }: Config, log: Log): () => void {
  try {
    return writeServiceFile(new Layout(dataDir), { url: buildLoopbackUrl(host, port), key: commandKey })
  } catch (cause) {
    log.warn('commands will not find the service: its file could not be written', { cause })
    return () => undefined
  }
}

function requireRuntime({ runtime }: Host): Runtime {
  if (!runtime) throw new Error('The core runs in other threads')
  return runtime
}

/** Starts the health checks and the mails about alarms, if configured. Returns a function that stops them. */
async function watch(
  config: Config,
  healthChecks: HealthChecks,
  services: { clock: Clock; log: Log }
): Promise<() => Promise<void>> {
  const isNode = config.cluster.node !== ''
  const isMailed = config.alarms.mailTo !== ''
  if (isNode || isMailed) healthChecks.start()
  let mails: AlarmMails | undefined
  // In a cluster, one node mails the alarms of all.
  if (isMailed && !isNode) {
    const { AlarmMails, LocalAlarmLedger } = await import('./alarm-mails.js')
    const collect = async (): Promise<HealthAlarm[]> => await Promise.resolve(healthChecks.list())
    mails = new AlarmMails({ ...services, config, ledger: new LocalAlarmLedger(), collect })
    mails.start()
  }
  return async () => {
    healthChecks.stop()
    await mails?.stop()
  }
}

/** Serves series on a port of their own, if configured; returns its URL. */
async function serveSeriesPort(dispatcher: Dispatcher, closers: Closers): Promise<string | undefined> {
  const { config } = dispatcher.services
  if (config.hf.port === null) return undefined
  const listener = await Listener.open(config, config.hf.port)
  closers.push(() => listener.close(config.shutdownSeconds))
  listener.serve(createSeriesApp(dispatcher), config)
  return buildLocalUrl(config.host, listener.port)
}

/** Serves metrics on a port of their own, if configured; returns its URL. */
async function serveMetricsPort(
  config: Config,
  operations: OperationsSources,
  closers: Closers
): Promise<string | undefined> {
  if (config.metrics.port === null) return undefined
  const listener = await Listener.open(config, config.metrics.port)
  closers.push(() => listener.close(0))
  listener.serve(createMetricsListener(operations), config)
  return buildLocalUrl(config.host, listener.port)
}

/** Sends metrics to an OTLP collector, if configured; returns the function that stops it. */
async function sendMetrics(config: Config, metrics: Metrics, log: Log): Promise<() => Promise<void>> {
  if (config.metrics.otlp.endpoint === '') return async () => {}
  const { OtlpExporter } = await import('./metrics/otlp-exporter.js')
  const exporter = new OtlpExporter(config, metrics, log)
  return async () => await exporter.close()
}
