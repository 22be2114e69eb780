/** Checks that the schema of an untrusted file is exactly ours: a foreign trigger or view would run with our statements. */
import type { Database } from 'better-sqlite3'
import { readSchemaVersion, type Migration } from '../migrations/migrate.js'
import { openInMemory } from '../sqlite/open.js'
import { positionTable } from '../wal/position.js'

const items = 'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema'

/** Expected schemas by migrations and version. */
const schemas = new WeakMap<readonly Migration[], Map<number, ReadonlySet<string>>>()

/** A table that only some files have. */
const optional = { type: 'table', name: 'log_position', table: 'log_position', sql: positionTable }

interface Item {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly sql: string | null
}

/**
 * Finds differences from the schema that our migrations up to the file's version create. Of tables and other
 * items, only the first difference is returned.
 */
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

/** Returns the schema that the first migrations create. Cached, since a restore checks thousands of files. */
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
 * Removes comments and collapses white space, so that rewording a comment in a migration makes no difference. This is
 * safe: our statements hold no string literals with spaces or two dashes in which other SQL could hide, and only
 * characters that SQLite treats as white space are collapsed.
 */
function normalizeSql(sql: string): string {
  return sql.replaceAll(/--[^\n]*/g, '').replaceAll(/[ \t\n\f\r]+/g, ' ')
}

/** Describes an item for messages. Foreign names may contain anything, so they are quoted and truncated. */
function describeItem({ name, type }: Item): string {
  return `${JSON.stringify(`${type} ${name}`.slice(0, 80))} in its schema`
}

function findSettingProblems(db: Database): string[] {
  const problems: string[] = []
  if (db.pragma('encoding', { simple: true }) !== 'UTF-8') problems.push('is not in UTF-8')
  if (db.pragma('application_id', { simple: true }) !== 0) problems.push('belongs to another application')
  return problems
}
