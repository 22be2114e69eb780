/** The alarms of a node that stand at present. Each is logged once when it is raised, and when it has ended. */
import type { Alarm, AlarmKind } from '../../cluster/alarm.js'
import type { Log } from '../../core/log.js'
import type { Clock } from '../../core/time.js'

export interface StandingAlarm extends Alarm {
  /** Seconds since the Unix epoch. */
  readonly since: number
}

/** Most alarms of a kind: what has gone wrong for more of the same need not be told of each. */
const most = 50

export class Alarms {
  readonly #standing = new Map<string, StandingAlarm>()

  constructor(
    private readonly log: Log,
    private readonly clock: Clock
  ) {}

  /** Those that were raised first stand first. */
  list(): StandingAlarm[] {
    return Array.from(this.#standing.values())
  }

  /** Makes these the alarms of some kinds: others of those kinds have ended. */
  replace(kinds: readonly AlarmKind[], alarms: readonly Alarm[]): void {
    const raised = new Map(
      kinds
        .flatMap(kind => alarms.filter(alarm => alarm.kind === kind).slice(0, most))
        .map(alarm => [keyOf(alarm), alarm])
    )
    for (const [key, alarm] of this.#standing)
      if (kinds.includes(alarm.kind) && !raised.has(key)) {
        this.#standing.delete(key)
        this.log.info(`alert resolved: ${alarm.kind}`, fieldsOf(alarm))
      }
    for (const [key, alarm] of raised) {
      const since = this.#standing.get(key)?.since
      this.#standing.set(key, { ...alarm, since: since ?? this.clock.now() })
      if (since === undefined) this.log.error(`alert: ${alarm.text}`, fieldsOf(alarm))
    }
  }
}

function keyOf({ about, kind }: Alarm): string {
  return `${kind} ${about}`
}

/** What is logged besides the text, which names no account. */
function fieldsOf({ about, kind }: Alarm): { accountId?: string } {
  return kind === 'account' ? { accountId: about } : {}
}
