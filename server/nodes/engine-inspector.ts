/** Checks the engine at intervals, and raises alarms about what it finds. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Alarm, AlarmKind } from '../../cluster/alarm.js'
import type { Shared } from '../../cluster/connect.js'
import type { EngineReport } from '../../cluster/nats/engine-monitor.js'
import type { ActiveAlarms, ActiveAlarm } from './active-alarms.js'

interface EngineInspectorOptions {
  readonly inspect: Shared['inspect']
  readonly alarms: ActiveAlarms
  /** Time between checks of the engine, in milliseconds. */
  readonly intervalMs: number
  /** Returns the alarms that are known without checking the engine. */
  readonly listLocalAlarms: () => readonly Alarm[]
  /** Retries operations of this node that have failed, until `isCancelled` returns true. Never rejects. */
  readonly retryFailed: (isCancelled: () => boolean) => Promise<void>
  /** Called when the engine could not be checked. */
  readonly onError: (error: Error) => void
}

/** Kinds of alarms that checks of the engine raise, and kinds that are known without asking the engine. */
const [engineKinds, localKinds]: readonly [readonly AlarmKind[], readonly AlarmKind[]] = [
  ['replica', 'copies', 'server', 'limit'],
  ['register', 'account', 'platform', 'disk', 'backup']
]

export class EngineInspector {
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #report: EngineReport | undefined
  #inspectedAt = 0

  constructor(private readonly options: EngineInspectorOptions) {}

  /** The result of the last successful check; `undefined` if there was none yet. */
  get report(): EngineReport | undefined {
    return this.#report
  }

  /** Time of the last successful check, in seconds since the Unix epoch; 0 before the first successful check. */
  get inspectedAt(): number {
    return this.#inspectedAt
  }

  /** Inspects the engine periodically from now on. */
  start(): void {
    this.#running = this.#run()
  }

  /** Ends the inspection. Resolves once the request in progress has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /**
   * Returns the active alarms, after updating those that are known without the engine, which logs what has
   * begun or ended.
   */
  refreshAlarms(): ActiveAlarm[] {
    const { alarms, listLocalAlarms } = this.options
    alarms.replace(localKinds, listLocalAlarms())
    return alarms.list()
  }

  /** Checks the engine again and again until stopped. */
  async #run(): Promise<void> {
    const { alarms, inspect, intervalMs, onError, retryFailed } = this.options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await retryFailed(() => signal.aborted)
      this.refreshAlarms()
      try {
        const report = await inspect?.()
        // The engine may have been closed in the meantime; then the report is unreliable.
        if (report && !signal.aborted) {
          this.#report = report
          this.#inspectedAt = Date.now() / 1000
          alarms.replace(engineKinds, report.alarms)
        }
      } catch (error) {
        // The last report and its alarms remain until a check succeeds.
        if (!signal.aborted) onError(error as Error)
      }
      await wait(intervalMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
