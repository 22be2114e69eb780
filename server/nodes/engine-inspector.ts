/** Inspects the engine that nodes share periodically, and raises alarms for problems. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Alarm, AlarmKind } from '../../cluster/alarm.js'
import type { Shared } from '../../cluster/connect.js'
import type { EngineReport } from '../../cluster/nats/engine-monitor.js'
import type { Alarms, StandingAlarm } from './alarms.js'

export interface EngineInspectorOptions {
  readonly inspect: Shared['inspect']
  readonly alarms: Alarms
  /** Time between two inspections, in milliseconds. */
  readonly everyMs: number
  /** Lists the problems that this node knows without the engine. */
  readonly listLocalAlarms: () => readonly Alarm[]
  /** Retries operations of this node that have failed, until `isOver`. Never rejects. */
  readonly retryFailed: (isOver: () => boolean) => Promise<void>
  /** Called when the engine could not be inspected. */
  readonly onError: (error: Error) => void
}

/** The kinds of alarms from inspections of the engine, and of those from this node. */
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

  /** The report of the last inspection. */
  get report(): EngineReport | undefined {
    return this.#report
  }

  /** Time of the last successful inspection, in seconds since the Unix epoch; 0: never. */
  get inspectedAt(): number {
    return this.#inspectedAt
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Lists the current alarms. */
  list(): StandingAlarm[] {
    const { alarms, listLocalAlarms } = this.options
    alarms.replace(localKinds, listLocalAlarms())
    return alarms.list()
  }

  async #run(): Promise<void> {
    const { alarms, inspect, everyMs, onError, retryFailed } = this.options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await retryFailed(() => signal.aborted)
      this.list()
      try {
        const report = await inspect?.()
        // The engine may have been closed meanwhile: then the report is not reliable.
        if (report && !signal.aborted) {
          this.#report = report
          this.#inspectedAt = Date.now() / 1000
          alarms.replace(engineKinds, report.alarms)
        }
      } catch (error) {
        // The last alarms are kept until the next successful inspection.
        if (!signal.aborted) onError(error as Error)
      }
      await wait(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
