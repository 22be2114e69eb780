/** Monitors a node of a cluster for operators: its alarms and its metrics. */
import type { Alarm } from '../../cluster/alarm.js'
import type { Shared } from '../../cluster/connect.js'
import type { Engine } from '../../cluster/engine.js'
import type { Lease } from '../../cluster/nodes/lease.js'
import type { Members } from '../../cluster/nodes/members.js'
import type { Shards } from '../../cluster/nodes/shards.js'
import type { PlatformLog } from '../../cluster/platform/log.js'
import type { ShippedLogs } from '../../cluster/shipped-log.js'
import type { Tally } from '../../cluster/tally.js'
import type { Log } from '../../core/log.js'
import type { Config } from '../../core/settings/config.js'
import type { Clock } from '../../core/time.js'
import type { HealthAlarm } from '../health.js'
import type { MetricRegistry } from '../metrics/metric-registry.js'
import { ActiveAlarms, type ActiveAlarm } from './active-alarms.js'
import { EngineInspector } from './engine-inspector.js'

interface ClusterMonitorOptions {
  readonly config: Config
  readonly engine: Pick<Engine, 'register' | 'send'>
  /** Returns the active alarms of this machine. */
  readonly healthAlarms: (() => readonly HealthAlarm[]) | undefined
  readonly shared: Pick<Shared, 'inspect' | 'linkStatus'>
  readonly log: Log
  readonly clock: Clock
  /** Time between checks of the engine, in milliseconds. */
  readonly intervalMs: number
  readonly tally: Tally
  readonly lease: Pick<Lease, 'age' | 'isSteady' | 'isValid'>
  readonly members: Pick<Members, 'all'>
  readonly shards: Pick<Shards, 'owned' | 'unreadable'>
  readonly logs: Pick<ShippedLogs, 'retryUnplaced' | 'countUnconfirmed' | 'unplaced'>
  /** Returns whether this node serves an account. */
  readonly isServedHere: (account: string) => boolean
  readonly platformLog: Pick<PlatformLog, 'refusal'>
}

export class ClusterMonitor {
  readonly #inspector: EngineInspector
  #stopMails: (() => Promise<void>) | undefined

  constructor(private readonly options: ClusterMonitorOptions) {
    const { clock, intervalMs, log, logs, shared } = options
    this.#inspector = new EngineInspector({
      inspect: shared.inspect,
      alarms: new ActiveAlarms(log, clock),
      intervalMs,
      listLocalAlarms: () => this.#listLocalAlarms(),
      // Without this, an account that can be opened again would fail until its next call.
      retryFailed: async isCancelled => await logs.retryUnplaced(isCancelled),
      onError: cause => log.warn('the engine of the cluster could not be checked', { cause })
    })
  }

  /**
   * Starts to inspect the engine, and to send mails about alarms if an address is set. Does not wait for the first
   * inspection.
   */
  async start(): Promise<void> {
    this.#inspector.start()
    if (this.options.config.alarms.mailTo === '') return
    const { startAlarmMails } = await import('./cluster-alarm-mails.js')
    this.#stopMails = await startAlarmMails({ ...this.options, listOwnAlarms: () => this.alarms() })
  }

  /** Ends the mails, then the inspection. */
  async stop(): Promise<void> {
    await this.#stopMails?.()
    await this.#inspector.stop()
  }

  /** Returns the active alarms. Those that this node knows without the engine are updated first; what has begun or ended is logged. */
  alarms(): ActiveAlarm[] {
    return this.#inspector.refreshAlarms()
  }

  /** Adds the metrics of a node to those of the service. */
  async addMetrics(registry: MetricRegistry): Promise<void> {
    const { addNodeMetrics } = await import('./node-metrics.js')
    const { lease, logs, members, shards, shared, tally } = this.options
    await addNodeMetrics(registry, {
      tally,
      link: shared.linkStatus,
      shards: () => shards.owned.length,
      lease: () => ({ age: lease.age, isValid: lease.isValid() }),
      members: () => members.all,
      outbox: () => logs.countUnconfirmed(),
      engineCheck: () => ({ report: this.#inspector.report, at: this.#inspector.inspectedAt }),
      alarms: () => this.alarms()
    })
  }

  /** Returns the alarms that are known without checking the engine. */
  #listLocalAlarms(): Alarm[] {
    const { healthAlarms, logs, members, platformLog, isServedHere, shards } = this.options
    const unreadable = members.all.filter(({ isUnreadable }) => isUnreadable)
    const registers = [
      ...unreadable.map(({ node }) => `of node ${node}`),
      ...shards.unreadable.map(shard => `of shard ${shard}`)
    ]
    const accounts = Array.from(logs.unplaced).filter(([account]) => isServedHere(account))
    return [
      ...registers.map((about): Alarm => ({
        kind: 'register',
        about,
        text: `The register ${about} was unreadable, because something other than a node wrote to it. It is being rewritten`
      })),
      ...accounts.map(([about, error]): Alarm => ({
        kind: 'account',
        about,
        text:
          error.name === 'RecordTooNew'
            ? `The database of an account cannot be rebuilt from its log. ${error.message}`
            : 'The database of an account cannot be rebuilt from its log. Run "coffer cluster rescue"'
      })),
      ...(platformLog.refusal
        ? [{ kind: 'platform', about: '', text: platformLog.refusal.message } satisfies Alarm]
        : []),
      ...(healthAlarms?.() ?? [])
    ]
  }
}
