/** Stores the latest warnings and errors of the log in memory, without user data, for the operator's page. */
import type { Log, LogFields } from '../core/log.js'

/** A message that was logged, once or repeatedly. Contains only texts of the service: no accounts, addresses or links. */
interface Problem {
  readonly level: 'warn' | 'error'
  readonly message: string
  readonly method?: string
  readonly errorId?: string
  /** The code or class of the error that caused it, such as `ENOSPC`. */
  readonly cause?: string
  /** How often, and when first and last, in seconds. */
  readonly count: number
  readonly first: number
  readonly last: number
}

/** Maximum number of stored problems; older problems are dropped. */
const maxProblems = 100
/** Limit for the length of a message, in characters. */
const maxMessageLength = 300

export class Problems {
  /** Problems by level, message, method and error; the latest problem last. */
  readonly #known = new Map<string, Problem>()

  constructor(private readonly now: () => number) {}

  /** Returns a log that also records warnings and errors here. */
  recordFrom(log: Log): Log {
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

  /** Returns the problems, latest first. */
  list(): Problem[] {
    return [...this.#known.values()].toReversed()
  }

  /** Counts a problem, which is now the latest of the known problems. */
  #add(level: Problem['level'], text: string, { cause, errorId, method }: LogFields = {}): void {
    const message = text.slice(0, maxMessageLength)
    const kind = getErrorKind(cause)
    const key = [level, message, method, errorId, kind].join('\n')
    const existing = this.#known.get(key)
    const last = this.now()
    this.#known.delete(key)
    this.#known.set(key, {
      level,
      message,
      ...(method !== undefined && { method }),
      ...(errorId !== undefined && { errorId }),
      ...(kind !== undefined && { cause: kind }),
      count: (existing?.count ?? 0) + 1,
      first: existing?.first ?? last,
      last
    })
    if (this.#known.size > maxProblems) this.#known.delete(this.#known.keys().next().value!)
  }
}

/** Returns the code of an error, or its name. Its message is not recorded, since it may quote user data. */
function getErrorKind(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  const { code, name } = cause as Error & { readonly code?: unknown }
  return (typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : name).slice(0, 40)
}
