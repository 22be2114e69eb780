/**
 * Prepared statements, cached per connection on first use: preparing costs more than most queries. Write a bound limit as
 * `LIMIT +?`: the planner inspects the value of a bare `?` there, and prepares the statement again whenever it is bound.
 */
import type { Database, Statement } from 'better-sqlite3'

type Cache = WeakMap<Database, Map<string, Statement>>

const objects: Cache = new WeakMap()
const columns: Cache = new WeakMap()
const arrays: Cache = new WeakMap()

/** The statement for an SQL text. Values are always bound, so there are few texts to cache. */
export function statement(db: Database, sql: string): Statement {
  return cached(objects, db, sql) ?? keep(objects, db, sql, db.prepare(sql))
}

/** As {@link statement}, for queries of one column: rows are its values. */
export function column(db: Database, sql: string): Statement {
  return cached(columns, db, sql) ?? keep(columns, db, sql, db.prepare(sql).pluck())
}

/** As {@link statement}, for rows as arrays. */
export function raw(db: Database, sql: string): Statement {
  return cached(arrays, db, sql) ?? keep(arrays, db, sql, db.prepare(sql).raw())
}

/** The texts of all statements prepared on a connection so far. */
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
