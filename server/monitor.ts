/** Collects the state of the service for operators, in the main thread. */
import type { Config } from '../core/settings/config.js'
import type { Monitor } from '../transports/http/pages/operator.js'
import type { BackupState, Gauges, Readiness } from './service-state.js'
import type { LatencyHistogram } from './latency-histogram.js'
import type { Problems } from './problems.js'
import type { DiskUsageMeter } from './disk-usage.js'

/** Where the state is read from. */
interface MonitorSources {
  readonly config: Config
  readonly minutes: LatencyHistogram
  readonly problems: Problems
  readonly space: DiskUsageMeter
  /** Runs the readiness checks; `running` is false once the service is stopping. */
  readiness(): Promise<Readiness & { readonly running: boolean }>
  /** Returns the current load. */
  gauges(): Promise<Gauges> | Gauges
  /** Returns the number of open connections. */
  connections(): Promise<number>
  /** Returns the number of authenticated sockets. */
  sockets(): number
  /** Returns the active alarms. Only in a cluster. */
  alarms(): readonly object[] | undefined
  /** Absent if there are no scheduled backups. */
  readonly backups?: (() => BackupState) | undefined
}

/** Returns the monitor that the operators' routes read. */
export function createMonitor(monitored: MonitorSources): Monitor {
  const { backups, config, minutes, problems, space } = monitored
  return {
    async getState() {
      const [checks, { syslogLost: _, ...gauges }, connections] = await Promise.all([
        monitored.readiness(),
        monitored.gauges(),
        monitored.connections()
      ])
      return {
        checks,
        started: Math.round(performance.timeOrigin / 1000),
        memory: process.memoryUsage.rss(),
        connections,
        sockets: monitored.sockets(),
        ...gauges,
        hasMailServer: config.services.email.smtp.host !== '' || config.services.email.http.url !== '',
        backups: backups ? { ...backups(), isVerified: config.backup.verify } : null,
        space: space.getLatest() ?? null,
        alarms: monitored.alarms() ?? [],
        problems: problems.list()
      }
    },
    listMinutes: () => minutes.list(performance.timeOrigin + performance.now())
  }
}
