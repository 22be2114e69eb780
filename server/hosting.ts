/** The core behind the transports, wherever it runs. */
import type { Registry } from 'prom-client'
import type { Shared } from '../cluster/connect.js'
import type { Notifier, Dispatcher } from '../core/call/dispatcher.js'
import type { Log } from '../core/log.js'
import type { Clock } from '../core/time.js'
import type { PlatformStore } from '../storage/platform/platform-store.js'
import type { DurabilityProvider } from '../storage/wal/durability.js'
import type { HealthAlarm } from './health-checks.js'
import type { Gauges, Readiness } from './gauges.js'
import type { Runtime } from './runtime.js'

export interface Host {
  readonly dispatcher: Dispatcher
  readonly notifier: Notifier
  /** The file that all accounts share. */
  readonly platform: PlatformStore
  /** The runtime, if it is in this thread. */
  readonly runtime?: Runtime
  /** Returns the current load. */
  gauges(): Promise<Gauges> | Gauges
  /** What an operator has to look after; only where there is a cluster. */
  alarms?(): readonly object[]
  /** Adds metrics to those of any service. */
  addMetrics?(library: typeof import('prom-client'), registry: Registry): Promise<void>
  /** Runs the readiness checks. */
  readiness(): Promise<Readiness>
  /** Completes background work that is otherwise up to a second behind, such as holders of series. */
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
  /** How commits are made durable; by default by syncing the log. In this thread only. */
  readonly durability?: DurabilityProvider
  /** What the nodes of the cluster share, in place of what the settings name. */
  readonly shared?: Shared
  /** What there is to look after on this machine. */
  readonly concerns?: () => readonly HealthAlarm[]
  /** Called when it has to be waited for what nodes share, each time that it has been tried in vain. */
  readonly onWait?: () => void
  /** Ends waiting for that. */
  readonly signal?: AbortSignal
}
