/** Lets a statement look at rows as long as there is time: what some of them hold is of many megabytes, and others wait. */
import type { Database } from 'better-sqlite3'

/** Of the statement that runs on an open file. */
interface TimerState {
  /** By `performance.now`. */
  deadline: number
  scanned: number
  last: number | undefined
  hasTimedOut: boolean
}

/** What a statement has come to in its time. */
export interface TimedResult<T> {
  readonly found: T
  /** Rows that it has looked at. */
  readonly scanned: number
  /** The number of the last of them; absent if there was time for all. */
  readonly last: number | undefined
}

const states = new WeakMap<Database, TimerState>()

/**
 * As SQL, whether there is time for a row `e` of `event`, to be asked before anything is read of it (`CASE` keeps to the
 * order): there is for the first one, and for none after one for which there was none.
 */
export const hasTime = 'has_time(e.number)'

/** Runs a statement that holds {@link hasTime} for some milliseconds. */
export function runWithTimeout<T>(db: Database, timeoutMs: number, run: () => T): TimedResult<T> {
  let state = states.get(db)
  if (!state) states.set(db, (state = registerTimerFunction(db)))
  Object.assign(state, {
    deadline: performance.now() + timeoutMs,
    scanned: 0,
    last: undefined,
    hasTimedOut: false
  } satisfies TimerState)
  const found = run()
  return { found, scanned: state.scanned, last: state.hasTimedOut ? state.last : undefined }
}

function registerTimerFunction(db: Database): TimerState {
  const state: TimerState = { deadline: 0, scanned: 0, last: undefined, hasTimedOut: false }
  db.function('has_time', { directOnly: true }, number => {
    if (state.hasTimedOut || (state.hasTimedOut = state.scanned > 0 && performance.now() > state.deadline))
      return 0
    state.scanned++
    state.last = number as number
    return 1
  })
  return state
}
