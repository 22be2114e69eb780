/** Looks after what a node shares with others, each minute: what is not as it should be becomes an alarm. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Alarm, AlarmKind } from '../../cluster/alarm.js'
import type { Shared } from '../../cluster/connect.js'
import type { EngineReport } from '../../cluster/nats/engine-monitor.js'
import type { Alarms, StandingAlarm } from './alarms.js'

export interface EngineInspectorOptions {
  readonly inspect: Shared['inspect']
  readonly alarms: Alarms
  /** Time between two looks at the engine, in milliseconds. */
  readonly everyMs: number
  /** What this node knows by itself. */
  readonly listLocalAlarms: () => readonly Alarm[]
  /** Tries again what this node knows to have failed, until `isOver`. Never rejects. */
  readonly retryFailed: (isOver: () => boolean) => Promise<void>
  /** Called when the engine could not be looked at. */
  readonly onError: (error: Error) => void
}

/** The alarms that come of looking at the engine, and those that this node knows by itself. */
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

  /** What was found when the engine was last looked at. */
  get report(): EngineReport | undefined {
    return this.#report
  }

  /** When the engine was last looked at with success, seconds since the Unix epoch; 0: never. */
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

  /** The alarms that stand. */
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
        // The engine may have been closed meanwhile, with whatever that looks like.
        if (report && !signal.aborted) {
          this.#report = report
          this.#inspectedAt = Date.now() / 1000
          alarms.replace(engineKinds, report.alarms)
        }
      } catch (error) {
        // What is known of it stays until it can be looked at again.
        if (!signal.aborted) onError(error as Error)
      }
      await wait(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
