/** Prepared statements, cached for each open file on first use (a prepare costs more than most queries). */
import type { Database, Statement } from 'better-sqlite3'

const caches = new WeakMap<Database, Map<string, Statement>>()

/** The statement for this SQL on this file. Values are always bound, so the number of texts is small. */
export function statement(db: Database, sql: string): Statement {
  let cache = caches.get(db)
  if (!cache) caches.set(db, (cache = new Map()))
  let prepared = cache.get(sql)
  if (!prepared) cache.set(sql, (prepared = db.prepare(sql)))
  return prepared
}

const plucked = new WeakMap<Database, Map<string, Statement>>()

/** As {@link statement}, for queries of one column: rows are that column's values. */
export function column(db: Database, sql: string): Statement {
  let cache = plucked.get(db)
  if (!cache) plucked.set(db, (cache = new Map()))
  let prepared = cache.get(sql)
  if (!prepared) cache.set(sql, (prepared = db.prepare(sql).pluck()))
  return prepared
}
