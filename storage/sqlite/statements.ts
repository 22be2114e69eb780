/**
 * Prepared statements, cached per connection on first use: preparing costs more than most queries. Write a bound limit as
 * `LIMIT +?`: the planner inspects the value of a bare `?` there, and prepares the statement again whenever it is bound.
 */
import type { Database, Statement } from 'better-sqlite3'

type Cache = WeakMap<Database, Map<string, Statement>>

const objectStatements: Cache = new WeakMap()
const columnStatements: Cache = new WeakMap()
const arrayStatements: Cache = new WeakMap()

/** Returns the statement for an SQL text. Values are always bound, so there are few texts to cache. */
export function statement(db: Database, sql: string): Statement {
  return findCached(objectStatements, db, sql) ?? addToCache(objectStatements, db, sql, db.prepare(sql))
}

/** Like {@link statement}, for queries of one column: rows are its values. */
export function column(db: Database, sql: string): Statement {
  return (
    findCached(columnStatements, db, sql) ?? addToCache(columnStatements, db, sql, db.prepare(sql).pluck())
  )
}

/** Like {@link statement}, for rows as arrays. */
export function raw(db: Database, sql: string): Statement {
  return findCached(arrayStatements, db, sql) ?? addToCache(arrayStatements, db, sql, db.prepare(sql).raw())
}

/** Returns whether a table exists. Files of earlier versions, which are inspected as they are, lack some. */
export function hasTable(db: Database, name: string): boolean {
  return column(db, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined
}

/** Lists the texts of all statements prepared on a connection so far. */
export function listStatements(db: Database): string[] {
  return [objectStatements, columnStatements, arrayStatements].flatMap(statements => [
    ...(statements.get(db)?.keys() ?? [])
  ])
}

function findCached(statements: Cache, db: Database, sql: string): Statement | undefined {
  return statements.get(db)?.get(sql)
}

function addToCache(statements: Cache, db: Database, sql: string, prepared: Statement): Statement {
  const known = statements.get(db)
  if (known) known.set(sql, prepared)
  else statements.set(db, new Map([[sql, prepared]]))
  return prepared
}

/** Runs several reads on one state of the file, in a transaction or in the running one: its lock is taken once, not for each statement. */
export function readInTransaction<T>(db: Database, read: () => T): T {
  if (db.inTransaction) return read()
  statement(db, 'BEGIN').run()
  try {
    return read()
  } finally {
    // An error may have ended it.
    if (db.inTransaction) statement(db, 'COMMIT').run()
  }
}
