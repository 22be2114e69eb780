/**
 * Prepared statements, cached for each open file on first use (a prepare costs more than most queries). A bound limit is
 * written `LIMIT +?`: the planner looks at the value of a bare `?` there, and then prepares the statement again each time it
 * is bound.
 */
import type { Database, Statement } from 'better-sqlite3'

type Cache = WeakMap<Database, Map<string, Statement>>

const objects: Cache = new WeakMap()
const columns: Cache = new WeakMap()
const arrays: Cache = new WeakMap()

/** The statement for this SQL on this file. Values are always bound, so the number of texts is small. */
export function statement(db: Database, sql: string): Statement {
  return cached(objects, db, sql) ?? keep(objects, db, sql, db.prepare(sql))
}

/** As {@link statement}, for queries of one column: rows are that column's values. */
export function column(db: Database, sql: string): Statement {
  return cached(columns, db, sql) ?? keep(columns, db, sql, db.prepare(sql).pluck())
}

/** As {@link statement}, for rows as arrays. */
export function raw(db: Database, sql: string): Statement {
  return cached(arrays, db, sql) ?? keep(arrays, db, sql, db.prepare(sql).raw())
}

/** The texts of all statements prepared on a file so far. */
export function prepared(db: Database): string[] {
  return [objects, columns, arrays].flatMap(cache => [...(cache.get(db)?.keys() ?? [])])
}

function cached(cache: Cache, db: Database, sql: string): Statement | undefined {
  return cache.get(db)?.get(sql)
}

function keep(cache: Cache, db: Database, sql: string, made: Statement): Statement {
  const known = cache.get(db)
  if (known) known.set(sql, made)
  else cache.set(db, new Map([[sql, made]]))
  return made
}
