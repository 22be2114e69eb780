/** The latest warnings and errors of the log, in memory and without anybody's data: for the operator's page. */
import type { Log, LogFields } from '../core/log.js'

/** What was logged, once or repeatedly. Only texts of the service itself: no accounts, addresses or links. */
export interface Problem {
  readonly level: 'warn' | 'error'
  readonly message: string
  readonly method?: string
  readonly errorId?: string
  /** The kind of error behind it, such as `ENOSPC`. */
  readonly cause?: string
  /** How often, and when first and last, in seconds. */
  readonly count: number
  readonly first: number
  readonly last: number
}

/** Problems that are kept: those that came last. */
const kept = 100
/** Characters that are kept of a message. */
const longest = 300

export class Problems {
  /** By what makes them the same; those that came last stand last. */
  readonly #known = new Map<string, Problem>()

  constructor(private readonly now: () => number) {}

  /** Returns a log that also remembers what goes wrong. */
  heardBy(log: Log): Log {
    return {
      info: (message, fields) => log.info(message, fields),
      warn: (message, fields) => {
        this.#add('warn', message, fields)
        log.warn(message, fields)
      },
      error: (message, fields) => {
        this.#add('error', message, fields)
        log.error(message, fields)
      }
    }
  }

  /** Returns them, the latest first. */
  list(): Problem[] {
    return [...this.#known.values()].toReversed()
  }

  #add(level: Problem['level'], text: string, { cause, errorId, method }: LogFields = {}): void {
    const message = text.slice(0, longest)
    const kind = kindOf(cause)
    const key = [level, message, method, errorId, kind].join('\n')
    const former = this.#known.get(key)
    const last = this.now()
    this.#known.delete(key)
    this.#known.set(key, {
      level,
      message,
      ...(method !== undefined && { method }),
      ...(errorId !== undefined && { errorId }),
      ...(kind !== undefined && { cause: kind }),
      count: (former?.count ?? 0) + 1,
      first: former?.first ?? last,
      last
    })
    if (this.#known.size > kept) this.#known.delete(this.#known.keys().next().value!)
  }
}

/** The code of an error, or its name. Messages of errors may quote what somebody sent. */
function kindOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  const { code, name } = cause as Error & { readonly code?: unknown }
  return (typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : name).slice(0, 40)
}
