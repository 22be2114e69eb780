/** Checks untrusted files before they are used or put in place. */
import type { Database } from 'better-sqlite3'
import type { Layout } from '../files/layout.js'
import type { Migration } from '../migrations/migrate.js'
import { platformMigrations } from '../migrations/platform/index.js'
import { userMigrations } from '../migrations/user/index.js'
import { openReadOnly } from '../sqlite/open.js'
import { findHeaderProblem } from './header.js'
import { findSchemaProblems } from './schema.js'
import { findValueProblems } from './values.js'

/**
 * Finds problems that make the file of an account unsafe to use; empty if there are none. Throws `StoreDamaged`,
 * `StoreTooNew`.
 */
export function findUserFileProblems(layout: Layout, id: string): string[] {
  return findFileProblems(layout.userFile(id), userMigrations)
}

/** Finds problems of a platform file, as {@link findUserFileProblems} does of a user file. */
export function findPlatformFileProblems(layout: Layout): string[] {
  return findFileProblems(layout.platformFile, platformMigrations)
}

/** Runs the checks in order: each relies on those before it. */
function findFileProblems(file: string, migrations: readonly Migration[]): string[] {
  const wrong = findHeaderProblem(file)
  if (wrong !== undefined) return [wrong]
  const db = openReadOnly(file, migrations.length)
  try {
    for (const check of [
      (): string[] => findSchemaProblems(db, migrations),
      () => findStructureProblems(db),
      () => findValueProblems(db)
    ]) {
      const problems = check()
      if (problems.length > 0) return problems
    }
    return []
  } finally {
    db.close()
  }
}

function findStructureProblems(db: Database): string[] {
  const found = db.prepare('PRAGMA integrity_check(5)').pluck().all() as string[]
  if (found.some(text => text !== 'ok')) return found
  const dangling = db.prepare('PRAGMA foreign_key_check').get()
  return dangling === undefined ? [] : ['has rows that refer to rows that do not exist']
}

/** A row, by column. */
export type Row = Readonly<Record<string, string | number | null>>

/** Reads the rows of an account's file that has passed {@link findUserFileProblems}. */
export class ForeignRows {
  readonly #db: Database

  constructor(layout: Layout, id: string) {
    this.#db = openReadOnly(layout.userFile(id), userMigrations.length)
  }

  /** Iterates over the rows of a query. The caller must not wait in between. */
  rows(sql: string): IterableIterator<Row> {
    return this.#db.prepare(sql).iterate() as IterableIterator<Row>
  }

  /** Returns the first column of a query's first row; `undefined` if there is none. */
  first(sql: string, ...values: (string | number)[]): unknown {
    return this.#db
      .prepare(sql)
      .pluck()
      .get(...values)
  }

  /** Closes the file. */
  close(): void {
    this.#db.close()
  }
}
