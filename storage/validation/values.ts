/**
 * Checks that the values in an untrusted file have the types of their columns, which SQLite itself does not enforce. Reading
 * row by row would never get past a key beyond the precision of JavaScript's numbers.
 */
import type { Database } from 'better-sqlite3'

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
  readonly hidden: number
}

/** Longest text and blob, in bytes: for texts a fraction of what JavaScript can hold, and more than any call may send. */
const maxTextBytes = 64 * 1024 * 1024
const maxBlobBytes = 1024

/** The only column that may hold infinity: the end of open periods. */
const endless = 'event.until'

/** Problems: tables that hold values of a wrong type, or too long ones. */
export function findValueProblems(db: Database): string[] {
  // Virtual tables, and those that they are kept in, are made again: nobody reads what somebody else has put there.
  const sql =
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
  const names = db.prepare(sql).pluck().all() as string[]
  return names.flatMap(table => {
    const columns = db.prepare('SELECT * FROM pragma_table_xinfo(?)').all(table) as Column[]
    const rules = columns.filter(({ hidden }) => hidden === 0).map(column => buildRule(table, column))
    const found = db.prepare(`SELECT 1 FROM "${table}" WHERE NOT (${rules.join(' AND ')}) LIMIT 1`).get()
    return found === undefined ? [] : [`has values in "${table}" that do not belong there`]
  })
}

/** SQL that is true for valid values of a column. */
function buildRule(table: string, { name, notnull, pk, type }: Column): string {
  const rule = `(${kinds[type]?.(`"${name}"`, `${table}.${name}`) ?? 'FALSE'})`
  return notnull === 0 && pk === 0 ? `("${name}" IS NULL OR ${rule})` : `ifnull(${rule}, FALSE)`
}

const kinds: Readonly<Record<string, (column: string, path: string) => string>> = {
  INTEGER: column =>
    `typeof(${column}) = 'integer' AND ${column} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`,
  REAL: (column, path) =>
    `typeof(${column}) = 'real' AND abs(${column}) <= ${path === endless ? '9e999' : Number.MAX_VALUE}`,
  TEXT: column => `typeof(${column}) = 'text' AND octet_length(${column}) <= ${maxTextBytes}`,
  BLOB: column => `typeof(${column}) = 'blob' AND octet_length(${column}) <= ${maxBlobBytes}`
}
