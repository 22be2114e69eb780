/** The look into the bodies of events for their contents: how many at a time follows how long it takes. */
import type { Database } from 'better-sqlite3'
import { meeting, type ContentCondition } from './content.js'
import type { Key } from './position.js'

/** Milliseconds that a page may spend on it: some bodies are small, others many megabytes. */
const lookingMs = 10
/** Bodies that are looked into first, where none is large and where some are. */
const firstRows = { small: 100, large: 8 }
const mostRows = 500

/** What a look has found. */
export interface Looked {
  readonly wanted: readonly Key[]
  /** What the look counts for, where `whole` stands for a page that may spend all its time on it. */
  readonly cost: (whole: number) => number
}

export class BodyLook {
  /** Events whose bodies the next step looks into. */
  rows: number

  constructor(areLarge: boolean) {
    this.rows = areLarge ? firstRows.large : firstRows.small
  }

  /** Those of the events whose contents are wanted. */
  at(db: Database, contents: readonly ContentCondition[], found: readonly Key[]): Looked {
    const start = performance.now()
    const numbers = meeting(
      db,
      contents,
      found.map(({ number }) => number)
    )
    const tookMs = performance.now() - start
    this.rows =
      tookMs > lookingMs / 2 ? Math.max(1, Math.floor(this.rows / 2)) : Math.min(this.rows * 2, mostRows)
    return {
      wanted: found.filter(({ number }) => numbers.has(number)),
      cost: whole => Math.max(found.length, (tookMs * whole) / lookingMs)
    }
  }
}
