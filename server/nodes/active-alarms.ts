/** The active alarms of a node. Each is logged once when it is raised, and once when it ends. */
import type { Alarm, AlarmKind } from '../../cluster/alarm.js'
import type { Log } from '../../core/log.js'
import type { Clock } from '../../core/time.js'

export interface ActiveAlarm extends Alarm {
  /** Seconds since the Unix epoch. */
  readonly since: number
}

/** Maximum number of alarms of one kind; further ones are ignored. */
const maxPerKind = 50

export class ActiveAlarms {
  readonly #active = new Map<string, ActiveAlarm>()

  constructor(
    private readonly log: Log,
    private readonly clock: Clock
  ) {}

  /** Returns the active alarms, oldest first. */
  list(): ActiveAlarm[] {
    return Array.from(this.#active.values())
  }

  /**
   * Replaces the alarms of some kinds. Active alarms of these kinds that are not in the list have ended. Only
   * the first alarms of each kind are kept. Alarms that begin or end are logged.
   */
  replace(kinds: readonly AlarmKind[], alarms: readonly Alarm[]): void {
    const raised = new Map(
      kinds
        .flatMap(kind => alarms.filter(alarm => alarm.kind === kind).slice(0, maxPerKind))
        .map(alarm => [getKey(alarm), alarm])
    )
    for (const [key, alarm] of this.#active)
      if (kinds.includes(alarm.kind) && !raised.has(key)) {
        this.#active.delete(key)
        this.log.info(`alert resolved: ${alarm.kind}`, toLogFields(alarm))
      }
    for (const [key, alarm] of raised) {
      const since = this.#active.get(key)?.since
      this.#active.set(key, { ...alarm, since: since ?? this.clock.now() })
      if (since === undefined) this.log.error(`alert: ${alarm.text}`, toLogFields(alarm))
    }
  }
}

function getKey({ about, kind }: Alarm): string {
  return `${kind} ${about}`
}

/** Returns what is logged besides the text, which names no account. */
function toLogFields({ about, kind }: Alarm): { accountId?: string } {
  return kind === 'account' ? { accountId: about } : {}
}
