/** Files that somebody else may have made: looked into before anything in them is believed, or placed among our own. */
import type { Database } from 'better-sqlite3'
import type { Layout } from '../files/layout.js'
import type { Migration } from '../migrations/migrate.js'
import { platformMigrations } from '../migrations/platform/index.js'
import { userMigrations } from '../migrations/user/index.js'
import { openReadOnly } from '../sqlite/open.js'
import { headerProblem } from './header.js'
import { schemaProblems } from './schema.js'
import { valueProblems } from './values.js'

/** What speaks against working with the file of an account; empty if nothing does. Errors: `StoreDamaged`, `StoreTooNew`. */
export function userFileProblems(layout: Layout, id: string): string[] {
  return fileProblems(layout.userFile(id), userMigrations)
}

/** As {@link userFileProblems}, of a platform file. */
export function platformFileProblems(layout: Layout): string[] {
  return fileProblems(layout.platformFile, platformMigrations)
}

/** Each question only makes sense after the one before it. */
function fileProblems(file: string, migrations: readonly Migration[]): string[] {
  const wrong = headerProblem(file)
  if (wrong !== undefined) return [wrong]
  const db = openReadOnly(file, migrations.length)
  try {
    for (const look of [
      (): string[] => schemaProblems(db, migrations),
      () => structureProblems(db),
      () => valueProblems(db)
    ]) {
      const problems = look()
      if (problems.length > 0) return problems
    }
    return []
  } finally {
    db.close()
  }
}

function structureProblems(db: Database): string[] {
  const found = db.prepare('PRAGMA integrity_check(5)').pluck().all() as string[]
  if (found.some(text => text !== 'ok')) return found
  const dangling = db.prepare('PRAGMA foreign_key_check').get()
  return dangling === undefined ? [] : ['has rows that refer to others that are not there']
}

/** A row, by column. */
export type Row = Readonly<Record<string, string | number | null>>

/** The rows of an account's file in which {@link userFileProblems} has found nothing. */
export class ForeignRows {
  readonly #db: Database

  constructor(layout: Layout, id: string) {
    this.#db = openReadOnly(layout.userFile(id), userMigrations.length)
  }

  /** The rows of a query, one by one. Whoever takes them does not wait in between. */
  rows(sql: string): IterableIterator<Row> {
    return this.#db.prepare(sql).iterate() as IterableIterator<Row>
  }

  /** The first column of the first row of a query; `undefined` where there is none. */
  first(sql: string, ...values: (string | number)[]): unknown {
    return this.#db
      .prepare(sql)
      .pluck()
      .get(...values)
  }

  close(): void {
    this.#db.close()
  }
}
