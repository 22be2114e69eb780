/** The accesses of one user, cached by token and id. */
import type { Database } from 'better-sqlite3'
import type { Access } from '../../schemas/access.js'
import type { LastWritten } from '../audit/last-written.js'
import type { Digests } from './policies.js'
import { serializeWithIntegrity } from './serialize-with-integrity.js'
import { column, statement } from '../sqlite/statements.js'

/** Maximum number of cached accesses per open file, and of characters of their bodies. A full cache is cleared. */
const maxCached = 1000
const maxCachedLength = 4 * 1024 * 1024
/** Limits of a page: accesses, and characters of their bodies; accesses whose bodies are searched in one piece. */
const [pageRows, pageSize, searchedRows] = [100, 64 * 1024, 32]
/** Maximum bytes of the bodies of accesses that are read in one piece. */
const maxSizeAtOnce = 1024 * 1024

/** A page of a list of accesses. */
export interface AccessPage {
  readonly accesses: readonly Access[]
  readonly isLast: boolean
}

/** An earlier state of an access, without its token. */
type AccessVersion = Omit<Access, 'token' | 'integrity'>

/** An access without its permissions, which may be very many. */
export type CreatedAccess = Pick<Access, 'id' | 'name' | 'createdBy'> & { readonly deleted: number | null }

type NamingAccess = Pick<Access, 'id' | 'name'> & { readonly isNaming: 0 | 1 }

interface VersionRow {
  readonly body: string
  readonly serial: number
}

/** Selects the accesses that an access created, in any version and for any caller id. */
const byCreator = `(createdBy >= @creator AND createdBy < @creator || '!'
  OR createdBy > @creator || ':' AND createdBy < @creator || ';')`

/** Selects the accesses whose name has a prefix. */
const byPrefix = `type = @type AND name >= @prefix AND name < @prefix || char(127) AND deleted IS NULL`

export class AccessRepository {
  #byToken = new Map<string, Access>()
  #byId = new Map<string, Access>()
  #deleted = new Map<string, Access>()
  #length = 0

  constructor(
    private readonly db: Database,
    private readonly digests: Digests,
    private readonly lastWritten: LastWritten
  ) {}

  /**
   * Finds the access with a token, unless deleted; it may have expired. Returns the same object until any
   * access changes.
   */
  findByToken(token: string): Access | undefined {
    const known = this.#byToken.get(token)
    if (known) return known
    const body = column(this.db, 'SELECT body FROM access WHERE token = ? AND deleted IS NULL').get(token)
    return body === undefined ? undefined : this.#cache(body as string)
  }

  /** Finds an access that is not deleted; it may have expired. */
  find(id: string): Access | undefined {
    const known = this.#byId.get(id)
    if (known) return known
    const body = column(this.db, 'SELECT body FROM access WHERE id = ? AND deleted IS NULL').get(id)
    return body === undefined ? undefined : this.#cache(body as string)
  }

  /** Finds an access, deleted or not. Returns the same object until any access changes. */
  findEver(id: string): Access | undefined {
    const known = this.#byId.get(id) ?? this.#deleted.get(id)
    if (known) return known
    const body = column(this.db, 'SELECT body FROM access WHERE id = ?').get(id)
    return body === undefined ? undefined : this.#cache(body as string)
  }

  /** Finds the access with a type, name and device that is not deleted; it may have expired. */
  findByName(type: string, name: string, deviceName = ''): Access | undefined {
    const sql = 'SELECT body FROM access WHERE type = ? AND name = ? AND deviceName = ? AND deleted IS NULL'
    const body = column(this.db, sql).get(type, name, deviceName)
    return body === undefined ? undefined : parse(body)
  }

  /** Lists the ids of accesses with a type that are not deleted, and whose name is `prefix` and any further ASCII text. */
  listIdsByPrefix(type: string, prefix: string): string[] {
    return column(this.db, `SELECT id FROM access WHERE ${byPrefix}`).all({ type, prefix }) as string[]
  }

  /** Lists the personal accesses that are not deleted. Unlike other accesses they are few. */
  listPersonal(): Access[] {
    const sql = "SELECT body FROM access WHERE type = 'personal' AND deleted IS NULL"
    return column(this.db, sql).all().map(parse)
  }

  /** Lists all accesses that are not deleted, by name. */
  list(): Access[] {
    return column(this.db, 'SELECT body FROM access WHERE deleted IS NULL ORDER BY name, id').all().map(parse)
  }

  /** Lists accesses as {@link list} does, in pages: a page begins after `last`. */
  listAfter(last: Access | undefined): AccessPage {
    const sql = `SELECT body FROM access INDEXED BY access_list
      WHERE deleted IS NULL AND (name, id) > (?, ?) ORDER BY name, id`
    return this.#readPage(sql, last?.name ?? '', last?.id ?? '')
  }

  /** Lists some accesses, in the order of {@link list} after `last`, with whether each names a stream anywhere. */
  listNaming(streamId: string, last: Pick<Access, 'id' | 'name'>): NamingAccess[] {
    const sql = `SELECT id, name, instr(body, ?) > 0 AS isNaming FROM access INDEXED BY access_list
      WHERE deleted IS NULL AND (name, id) > (?, ?) ORDER BY name, id LIMIT ${searchedRows}`
    return statement(this.db, sql).all(JSON.stringify(streamId), last.name, last.id) as NamingAccess[]
  }

  /** Lists deleted accesses by time of deletion, then id, in pages: a page begins after `last`. */
  listDeletedAfter(last: Access | undefined): AccessPage {
    const sql = `SELECT body FROM access INDEXED BY access_deleted
      WHERE deleted IS NOT NULL AND (deleted, id) > (?, ?) ORDER BY deleted, id`
    return this.#readPage(sql, last?.deleted ?? -Infinity, last?.id ?? '')
  }

  /**
   * Lists the ids of accesses created by an access that are not deleted. Matches prefixes of `createdBy`, where the number
   * of a version and a caller id may follow the id.
   */
  listIdsCreatedBy(creator: string): string[] {
    const sql = `SELECT id FROM access WHERE ${byCreator} AND deleted IS NULL`
    return column(this.db, sql).all({ creator }) as string[]
  }

  /** Lists at most `limit` accesses that an access has created, including deleted ones: see {@link listIdsCreatedBy}. */
  listEverCreatedBy(creator: string, limit: number): CreatedAccess[] {
    const sql = `SELECT id, name, createdBy, deleted FROM access WHERE ${byCreator} LIMIT +@limit`
    return statement(this.db, sql).all({ creator, limit }) as CreatedAccess[]
  }

  /**
   * Returns whether more than `limit` accesses are not deleted, or their bodies have more than a megabyte; each counts as often as
   * it is read, `times`.
   */
  hasMore(limit: number, times = 1): boolean {
    return this.#measure('deleted IS NULL', { limit }) * times > 1
  }

  /**
   * Returns how much of what {@link hasMore} allows the accesses of one creator take: more than 1 if there are more. See
   * {@link listIdsCreatedBy}.
   */
  measureCreatedBy(creator: string, limit: number): number {
    return this.#measure(`${byCreator} AND deleted IS NULL`, { creator, limit })
  }

  /** Like {@link hasMore}, among the accesses of {@link listIdsByPrefix}. */
  hasMoreByPrefix(type: string, prefix: string, limit: number): boolean {
    return this.#measure(byPrefix, { type, prefix, limit }) > 1
  }

  /** Lists the names of at most `limit` accesses after an id, including deleted ones, by id. Does not read their permissions. */
  listNamesAfter(id: string, limit: number): Pick<Access, 'id' | 'name' | 'type'>[] {
    const sql = 'SELECT id, name, type FROM access WHERE id > ? ORDER BY id LIMIT +?'
    return statement(this.db, sql).all(id, limit) as Pick<Access, 'id' | 'name' | 'type'>[]
  }

  /**
   * Adds an access, and returns it as stored, with its integrity value. If the token, or type, name and device
   * are taken, throws SQLite's error, which leaves the write, or its savepoint, as `UniqueViolation` of
   * `access.token` or `access.type`.
   */
  insert(access: Access): Access {
    return this.#write(
      'INSERT INTO access (token, type, name, deviceName, createdBy, deleted, body, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      access
    )
  }

  /**
   * Replaces an access, and returns it as stored. A deleted access (with `deleted`) stays as a record. Does
   * nothing if there is no access with its id.
   */
  update(access: Access): Access {
    return this.#write(
      'UPDATE access SET token = ?, type = ?, name = ?, deviceName = ?, createdBy = ?, deleted = ?, body = ? WHERE id = ?',
      access
    )
  }

  /** Keeps the state of an access before an update. Its token, which stays valid, is not kept. */
  insertVersion({ serial = 0, ...before }: Access): void {
    const { integrity: _ofAll, token: _stillValid, ...version } = before
    const sql = 'INSERT INTO access_version (access, serial, body) VALUES (?, ?, ?)'
    statement(this.db, sql).run(version.id, serial, JSON.stringify(version))
  }

  /** Finds an earlier state of an access. */
  findVersion(id: string, serial: number): AccessVersion | undefined {
    const sql = 'SELECT body, serial FROM access_version WHERE access = ? AND serial = ?'
    const row = statement(this.db, sql).get(id, serial) as VersionRow | undefined
    return row && toVersion(row)
  }

  /** Lists the earlier states of an access, oldest first, in pages: a page begins after a serial, the first one with -1. */
  listVersionsAfter(id: string, after: number): { versions: AccessVersion[]; isLast: boolean } {
    const sql = 'SELECT body, serial FROM access_version WHERE access = ? AND serial > ? ORDER BY serial'
    const versions: AccessVersion[] = []
    let size = 0
    for (const row of statement(this.db, sql).iterate(id, after) as IterableIterator<VersionRow>) {
      if (versions.length === pageRows || size > pageSize) return { versions, isLast: false }
      versions.push(toVersion(row))
      size += row.body.length
    }
    return { versions, isLast: true }
  }

  /** Clears the cache. */
  invalidate(): void {
    this.#byToken = new Map()
    this.#byId = new Map()
    this.#deleted = new Map()
    this.#length = 0
  }

  #cache(body: string): Access {
    const access = parse(body)
    if (this.#byToken.size + this.#deleted.size >= maxCached || this.#length + body.length > maxCachedLength)
      this.invalidate()
    this.#length += body.length
    if (access.deleted !== undefined) this.#deleted.set(access.id, access)
    else {
      this.#byToken.set(access.token, access)
      this.#byId.set(access.id, access)
    }
    return access
  }

  #readPage(sql: string, ...after: readonly (string | number)[]): AccessPage {
    const accesses: Access[] = []
    let size = 0
    for (const body of column(this.db, sql).iterate(...after) as IterableIterator<string>) {
      if (accesses.length === pageRows || size > pageSize) return { accesses, isLast: false }
      accesses.push(parse(body))
      size += body.length
    }
    return { accesses, isLast: true }
  }

  #measure(condition: string, values: Readonly<Record<string, string | number>>): number {
    const sql = `SELECT max(count(*) * 1.0 / @limit, total(size) / @maxSize) FROM
      (SELECT octet_length(body) AS size FROM access WHERE ${condition} LIMIT +@limit + 1)`
    return column(this.db, sql).get({ ...values, maxSize: maxSizeAtOnce }) as number
  }

  #write(sql: string, given: Access): Access {
    const { integrity: _former, ...access } = given
    const integrity = this.digests.access(access)
    const body = serializeWithIntegrity(access, integrity)
    const { token, type, name, deviceName = '', createdBy, deleted = null, id } = access
    statement(this.db, sql).run(token, type, name, deviceName, createdBy, deleted, body, id)
    this.lastWritten.record('ACCESS', id, deleted ?? access.modified, integrity)
    this.invalidate()
    return integrity === undefined ? access : { ...access, integrity }
  }
}

function toVersion({ body, serial }: VersionRow): AccessVersion {
  const version = JSON.parse(body) as AccessVersion
  return serial === 0 ? version : { ...version, serial }
}

function parse(body: unknown): Access {
  return Object.freeze(JSON.parse(body as string) as Access)
}
