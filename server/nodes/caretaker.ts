/** Looks after what a node shares with others, each minute: what is not as it should be becomes an alarm. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Alarm, AlarmKind } from '../../cluster/alarm.js'
import type { Shared } from '../../cluster/connect.js'
import type { EngineReport } from '../../cluster/nats/care.js'
import type { Alarms, StandingAlarm } from './alarms.js'

export interface CaretakerOptions {
  readonly care: Shared['care']
  readonly alarms: Alarms
  /** Time between two looks at the engine, in milliseconds. */
  readonly everyMs: number
  /** What this node knows by itself. */
  readonly here: () => readonly Alarm[]
  /** Tries again what this node knows to have failed, until `isOver`. Never rejects. */
  readonly tryAgain: (isOver: () => boolean) => Promise<void>
  /** Called when the engine could not be looked at. */
  readonly onTrouble: (error: Error) => void
}

/** The alarms that come of looking at the engine, and those that this node knows by itself. */
const [fromEngine, fromHere]: readonly [readonly AlarmKind[], readonly AlarmKind[]] = [
  ['replica', 'copies', 'server', 'limit'],
  ['register', 'account', 'platform', 'disk', 'backup']
]

export class Caretaker {
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #report: EngineReport | undefined
  #lookedAt = 0

  constructor(private readonly options: CaretakerOptions) {}

  /** What was found when the engine was last looked at. */
  get report(): EngineReport | undefined {
    return this.#report
  }

  /** When the engine was last looked at with success, seconds since the Unix epoch; 0: never. */
  get lookedAt(): number {
    return this.#lookedAt
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
    const { alarms, here } = this.options
    alarms.replace(fromHere, here())
    return alarms.list()
  }

  async #run(): Promise<void> {
    const { alarms, care, everyMs, onTrouble, tryAgain } = this.options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await tryAgain(() => signal.aborted)
      this.list()
      try {
        const report = await care?.()
        // The engine may have been closed meanwhile, with whatever that looks like.
        if (report && !signal.aborted) {
          this.#report = report
          this.#lookedAt = Date.now() / 1000
          alarms.replace(fromEngine, report.alarms)
        }
      } catch (error) {
        // What is known of it stays until it can be looked at again.
        if (!signal.aborted) onTrouble(error as Error)
      }
      await wait(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
