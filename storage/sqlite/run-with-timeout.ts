/** Limits how long a statement scans rows, some of which may hold many megabytes, so that it does not block other calls. */
import type { Database } from 'better-sqlite3'

/** State of the statement that runs on an open file. */
interface TimerState {
  /** In the time of `performance.now`. */
  deadlineMs: number
  scanned: number
  last: number | undefined
  hasTimedOut: boolean
}

/** The result of a statement with a time limit. */
export interface TimedResult<T> {
  readonly found: T
  /** Number of rows scanned. */
  readonly scanned: number
  /** The number of the last of them; absent if all rows were scanned. */
  readonly last: number | undefined
}

const states = new WeakMap<Database, TimerState>()

/**
 * SQL that is true if there is time for a row `e` of `event`, to be evaluated before anything of it is read (`CASE`
 * keeps the order). True for the first row, and false for all rows after the first false one.
 */
export const hasTime = 'has_time(e.number)'

/** Runs a statement that contains {@link hasTime}, for at most `timeoutMs` milliseconds. */
export function runWithTimeout<T>(db: Database, timeoutMs: number, run: () => T): TimedResult<T> {
  let state = states.get(db)
  if (!state) states.set(db, (state = registerTimerFunction(db)))
  Object.assign(state, {
    deadlineMs: performance.now() + timeoutMs,
    scanned: 0,
    last: undefined,
    hasTimedOut: false
  } satisfies TimerState)
  const found = run()
  return { found, scanned: state.scanned, last: state.hasTimedOut ? state.last : undefined }
}

function registerTimerFunction(db: Database): TimerState {
  const state: TimerState = { deadlineMs: 0, scanned: 0, last: undefined, hasTimedOut: false }
  db.function('has_time', { directOnly: true }, number => {
    if (state.hasTimedOut || (state.hasTimedOut = state.scanned > 0 && performance.now() > state.deadlineMs))
      return 0
    state.scanned++
    state.last = number as number
    return 1
  })
  return state
}
