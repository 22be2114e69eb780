/** The core behind the transports, whether it runs in this thread, in worker threads or on other nodes. */
import type { Shared } from '../cluster/connect.js'
import type { Notifier, Dispatcher } from '../core/call/dispatcher.js'
import type { Log } from '../core/log.js'
import type { Clock } from '../core/time.js'
import type { PlatformStore } from '../storage/platform/platform-store.js'
import type { DurabilityProvider } from '../storage/wal/durability.js'
import type { HealthAlarm } from './health.js'
import type { Gauges, Readiness } from './service-state.js'
import type { MetricRegistry } from './metrics/metric-registry.js'
import type { Runtime } from './runtime.js'

export interface Host {
  readonly dispatcher: Dispatcher
  readonly notifier: Notifier
  /** The platform file. */
  readonly platform: PlatformStore
  /** The runtime, if it is in this thread. */
  readonly runtime?: Runtime
  /** Returns the current load. */
  gauges(): Promise<Gauges> | Gauges
  /** Returns the active alarms. Only in a cluster. */
  alarms?(): readonly object[]
  /** Adds further metrics to the metrics that every service has. */
  addMetrics?(registry: MetricRegistry): Promise<void>
  /** Runs the readiness checks. */
  readiness(): Promise<Readiness>
  /** Completes background work that is otherwise up to a second behind, such as updates of holder events. */
  settle(): Promise<void>
  /** Stops background work and notifications. Calls are still answered. */
  drain(): Promise<void>
  /** Closes everything. No call may be in progress. */
  close(): Promise<void>
}

export interface HostOptions {
  readonly clock: Clock
  readonly log: Log
  /** Modules with additional methods. */
  readonly methodModules: readonly string[]
  /** How commits are made durable; by default, by syncing the log. Only if the core runs in this thread. */
  readonly durability?: DurabilityProvider
  /** Resources shared by the nodes of a cluster; they replace the resources configured in the settings. */
  readonly shared?: Shared
  /** Returns the active alarms of this machine. */
  readonly listHealthAlarms?: () => readonly HealthAlarm[]
  /** Called after each failed attempt to reach the engine, while the start waits for it. */
  readonly onWait?: () => void
  /** Cancels that wait. */
  readonly signal?: AbortSignal
}
