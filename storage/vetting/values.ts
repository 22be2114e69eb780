/**
 * Whether the values in a file are of the kinds that its columns say. SQLite keeps whatever it is given, and numbers that
 * JavaScript cannot hold would never be passed by who goes from key to key.
 */
import type { Database } from 'better-sqlite3'

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
  readonly hidden: number
}

/** Bytes of the longest text: a tenth of what JavaScript could not hold, and more than any call may bring. */
const longestText = 64 * 1024 * 1024
const longestBlob = 1024

/** The one column whose numbers may be infinite: the end of what has none. */
const endless = 'event.until'

/** Tables with rows of other kinds, or with longer values, than they should hold. */
export function valueProblems(db: Database): string[] {
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
  return names.flatMap(table => {
    const columns = db.prepare('SELECT * FROM pragma_table_xinfo(?)').all(table) as Column[]
    const rules = columns.filter(({ hidden }) => hidden === 0).map(column => ruleOf(table, column))
    const found = db.prepare(`SELECT 1 FROM "${table}" WHERE NOT (${rules.join(' AND ')}) LIMIT 1`).get()
    return found === undefined ? [] : [`has values in "${table}" that do not belong there`]
  })
}

/** SQL that is true for values that a column may hold. */
function ruleOf(table: string, { name, notnull, pk, type }: Column): string {
  const rule = `(${kinds[type]?.(`"${name}"`, `${table}.${name}`) ?? 'FALSE'})`
  return notnull === 0 && pk === 0 ? `("${name}" IS NULL OR ${rule})` : `ifnull(${rule}, FALSE)`
}

const kinds: Readonly<Record<string, (column: string, path: string) => string>> = {
  INTEGER: column =>
    `typeof(${column}) = 'integer' AND ${column} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`,
  REAL: (column, path) =>
    `typeof(${column}) = 'real' AND abs(${column}) <= ${path === endless ? '9e999' : Number.MAX_VALUE}`,
  TEXT: column => `typeof(${column}) = 'text' AND octet_length(${column}) <= ${longestText}`,
  BLOB: column => `typeof(${column}) = 'blob' AND octet_length(${column}) <= ${longestBlob}`
}
