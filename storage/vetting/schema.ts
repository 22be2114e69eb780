/** Checks that the schema of an untrusted file is exactly ours: a foreign trigger or view would run with our statements. */
import type { Database } from 'better-sqlite3'
import { versionOf, type Migration } from '../migrations/migrate.js'
import { openInMemory } from '../sqlite/open.js'
import { positionTable } from '../wal/position.js'

const items = 'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema'

/** What migrations make, by their number. */
const known = new WeakMap<readonly Migration[], Map<number, ReadonlySet<string>>>()

/** A table that only some files have. */
const optional = { type: 'table', name: 'log_position', table: 'log_position', sql: positionTable }

interface Item {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly sql: string | null
}

/** Differences from the schema that our migrations up to the file's version make. */
export function schemaProblems(db: Database, migrations: readonly Migration[]): string[] {
  const version = versionOf(db)
  const expected = new Set(schemaOf(migrations, version))
  const problems = settingProblems(db)
  for (const item of db.prepare(items).iterate() as IterableIterator<Item>) {
    if (!expected.delete(keyOf(item)) && keyOf(item) !== keyOf(optional))
      return [...problems, `has ${nameOf(item)}, which is not of this software`]
  }
  for (const key of expected) return [...problems, `lacks ${nameOf(JSON.parse(key) as Item)}`]
  return problems
}

/** What the first so many migrations make. Kept, since a restore looks at thousands of files. */
function schemaOf(migrations: readonly Migration[], version: number): ReadonlySet<string> {
  const steps = migrations.slice(0, version)
  const made = known.get(migrations) ?? new Map<number, ReadonlySet<string>>()
  known.set(migrations, made)
  const before = made.get(steps.length)
  if (before) return before
  const model = openInMemory(steps)
  try {
    const keys = new Set((model.prepare(items).all() as Item[]).map(keyOf))
    made.set(steps.length, keys)
    return keys
  } finally {
    model.close()
  }
}

function keyOf({ name, sql, table, type }: Item): string {
  return JSON.stringify({ type, name, table, sql: sql === null ? null : normalized(sql) })
}

/**
 * A statement without comments and with single spaces, so that rewording a comment in a migration makes no difference. This is
 * safe: our statements hold no string literals with spaces or two dashes in which other SQL could hide, and only characters
 * that SQLite takes for white space are collapsed.
 */
function normalized(sql: string): string {
  return sql.replaceAll(/--[^\n]*/g, '').replaceAll(/[ \t\n\f\r]+/g, ' ')
}

/** An item for messages. Foreign names may hold anything, so they are quoted and cut. */
function nameOf({ name, type }: Item): string {
  return `${JSON.stringify(`${type} ${name}`.slice(0, 80))} in its schema`
}

function settingProblems(db: Database): string[] {
  const problems: string[] = []
  if (db.pragma('encoding', { simple: true }) !== 'UTF-8') problems.push('is not in UTF-8')
  if (db.pragma('application_id', { simple: true }) !== 0) problems.push('belongs to another application')
  return problems
}
