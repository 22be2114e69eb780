/** Whether the schema of a file is ours to the letter: a trigger, a view or a table of somebody else's would be run by us. */
import type { Database } from 'better-sqlite3'
import { versionOf, type Migration } from '../migrations/migrate.js'
import { openInMemory } from '../sqlite/open.js'

const items = 'SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema'

interface Item {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly sql: string | null
}

/** What is not as our migrations up to the file's version make it. */
export function schemaProblems(db: Database, migrations: readonly Migration[]): string[] {
  const version = versionOf(db)
  const expected = schemaOf(migrations.slice(0, version))
  const problems = settingProblems(db)
  for (const item of db.prepare(items).iterate() as IterableIterator<Item>) {
    if (!expected.delete(keyOf(item)))
      return [...problems, `has ${nameOf(item)}, which is not of this software`]
  }
  for (const key of expected) return [...problems, `lacks ${nameOf(JSON.parse(key) as Item)}`]
  return problems
}

function schemaOf(migrations: readonly Migration[]): Set<string> {
  const model = openInMemory(migrations)
  try {
    return new Set((model.prepare(items).all() as Item[]).map(keyOf))
  } finally {
    model.close()
  }
}

function keyOf({ name, sql, table, type }: Item): string {
  return JSON.stringify({ type, name, table, sql: sql === null ? null : plain(sql) })
}

/**
 * A statement without comments, which may be worded better one day. Our own hold no text with blanks or two dashes, so there
 * is nothing in which another statement could hide them; and blanks are only what SQLite takes for such.
 */
function plain(sql: string): string {
  return sql.replaceAll(/--[^\n]*/g, '').replaceAll(/[ \t\n\f\r]+/g, ' ')
}

/** Names of somebody else's may be anything. */
function nameOf({ name, type }: Item): string {
  return `${JSON.stringify(`${type} ${name}`.slice(0, 80))} in its schema`
}

function settingProblems(db: Database): string[] {
  const problems: string[] = []
  if (db.pragma('encoding', { simple: true }) !== 'UTF-8') problems.push('is not in UTF-8')
  if (db.pragma('application_id', { simple: true }) !== 0) problems.push('belongs to another application')
  return problems
}
