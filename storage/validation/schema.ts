/** Checks that the schema of an untrusted file is exactly ours: a foreign trigger or view would run with our statements. */
import type { Database } from 'better-sqlite3'
import { readSchemaVersion, type Migration } from '../migrations/migrate.js'
import { openInMemory } from '../sqlite/open.js'
import { positionTable } from '../wal/position.js'

const items = 'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema'

/** What migrations make, by their number. */
const schemas = new WeakMap<readonly Migration[], Map<number, ReadonlySet<string>>>()

/** A table that only some files have. */
const optional = { type: 'table', name: 'log_position', table: 'log_position', sql: positionTable }

interface Item {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly sql: string | null
}

/** Differences from the schema that our migrations up to the file's version make. */
export function findSchemaProblems(db: Database, migrations: readonly Migration[]): string[] {
  const version = readSchemaVersion(db)
  const expected = new Set(getExpectedSchema(migrations, version))
  const problems = findSettingProblems(db)
  for (const item of db.prepare(items).iterate() as IterableIterator<Item>) {
    if (!expected.delete(toKey(item)) && toKey(item) !== toKey(optional))
      return [...problems, `has ${describeItem(item)}, which is not of this software`]
  }
  for (const key of expected) return [...problems, `lacks ${describeItem(JSON.parse(key) as Item)}`]
  return problems
}

/** What the first so many migrations make. Kept, since a restore looks at thousands of files. */
function getExpectedSchema(migrations: readonly Migration[], version: number): ReadonlySet<string> {
  const steps = migrations.slice(0, version)
  const byVersion = schemas.get(migrations) ?? new Map<number, ReadonlySet<string>>()
  schemas.set(migrations, byVersion)
  const cached = byVersion.get(steps.length)
  if (cached) return cached
  const db = openInMemory(steps)
  try {
    const keys = new Set((db.prepare(items).all() as Item[]).map(toKey))
    byVersion.set(steps.length, keys)
    return keys
  } finally {
    db.close()
  }
}

function toKey({ name, sql, table, type }: Item): string {
  return JSON.stringify({ type, name, table, sql: sql === null ? null : normalizeSql(sql) })
}

/**
 * A statement without comments and with single spaces, so that rewording a comment in a migration makes no difference. This is
 * safe: our statements hold no string literals with spaces or two dashes in which other SQL could hide, and only characters
 * that SQLite takes for white space are collapsed.
 */
function normalizeSql(sql: string): string {
  return sql.replaceAll(/--[^\n]*/g, '').replaceAll(/[ \t\n\f\r]+/g, ' ')
}

/** An item for messages. Foreign names may hold anything, so they are quoted and cut. */
function describeItem({ name, type }: Item): string {
  return `${JSON.stringify(`${type} ${name}`.slice(0, 80))} in its schema`
}

function findSettingProblems(db: Database): string[] {
  const problems: string[] = []
  if (db.pragma('encoding', { simple: true }) !== 'UTF-8') problems.push('is not in UTF-8')
  if (db.pragma('application_id', { simple: true }) !== 0) problems.push('belongs to another application')
  return problems
}
