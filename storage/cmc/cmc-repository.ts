/** Consent and messages between accounts, of one user. (docs/spec/consent.md) */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** An offer that strangers can read with a capability. */
interface StoredCapability {
  readonly id: string
  readonly access: string
  /** Id of the event that asked for it. */
  readonly request: string
  /** The offer, an event as JSON. */
  readonly offer: string
  /** Time at which the row is removed, in seconds. */
  readonly removal: number
}

/** An acceptance of an offer that has been processed. */
export interface StoredAnswer {
  readonly event: string
  readonly capability: string
  /** Digest of the endpoint that came with it. */
  readonly endpoint: string
  readonly access: string
}

/** A relationship: an access that a peer holds. */
export interface StoredRelationship {
  readonly access: string
  readonly scope: string
  readonly slug: string
  /** When the peer was last asked, and when it first answered that our access has ended, in seconds. */
  readonly checked: number | null
  readonly refused: number | null
}

/** A delivery that is still to be made. */
export interface StoredDelivery {
  readonly number: number
  readonly relationship: string
  readonly created: number
  readonly attempts: number
  /** Time of the next attempt, in seconds. */
  readonly next: number
  readonly body: string
}

/** The accesses of peers that expire, and whose peer has not been told. */
const expiring = `access INDEXED BY access_peer_expiry WHERE deleted IS NULL
  AND body ->> '$.clientData.cmc.role' = 'counterparty' AND body ->> 'expires' IS NOT NULL
  AND body ->> '$.clientData.cmc.expiryTold' IS NULL
  AND EXISTS (SELECT 1 FROM cmc_relationship WHERE access = access.id)`

const relationshipColumns = 'access, scope, slug, checked, refused'

export class CmcRepository {
  #isUsed: boolean | undefined
  #hasDeliveries: boolean | undefined

  constructor(private readonly db: Database) {}

  /** Whether the account has relationships, capabilities, deliveries, or events with hidden members. */
  get isUsed(): boolean {
    return (this.#isUsed ??=
      column(
        this.db,
        `SELECT EXISTS (SELECT 1 FROM cmc_relationship) OR EXISTS (SELECT 1 FROM cmc_outbox)
          OR EXISTS (SELECT 1 FROM cmc_capability) OR EXISTS (SELECT 1 FROM cmc_secret)`
      ).get() === 1)
  }

  /** Whether anything is still to be delivered. */
  get hasDeliveries(): boolean {
    return (this.#hasDeliveries ??= column(this.db, 'SELECT EXISTS (SELECT 1 FROM cmc_outbox)').get() === 1)
  }

  /** Whether there is a delivery that could be made, and has not been attempted. */
  get hasUntried(): boolean {
    const sql = `SELECT EXISTS (SELECT 1 FROM cmc_outbox WHERE attempts = 0
      AND number IN (SELECT min(number) FROM cmc_outbox GROUP BY relationship))`
    return column(this.db, sql).get() === 1
  }

  /** Adds a capability, whose access exists. */
  addCapability({ access, id, offer, removal, request }: StoredCapability): void {
    this.#write('INSERT INTO cmc_capability (id, access, request, offer, removal) VALUES (?, ?, ?, ?, ?)', [
      id,
      access,
      request,
      offer,
      removal
    ])
  }

  /** Finds a capability by its id, in any state, until it is removed. */
  findCapability(id: string): StoredCapability | undefined {
    return statement(this.db, 'SELECT * FROM cmc_capability WHERE id = ?').get(id) as
      | StoredCapability
      | undefined
  }

  /** Sets when a capability is to be removed, in seconds. */
  setRemoval(id: string, removal: number): void {
    this.#write('UPDATE cmc_capability SET removal = ? WHERE id = ?', [removal, id])
  }

  /** Lists some capabilities that are to be removed, without their offers, which may be long. */
  listRemovable(now: number, limit: number): Pick<StoredCapability, 'id' | 'access'>[] {
    const sql = 'SELECT id, access FROM cmc_capability WHERE removal <= ? LIMIT +?'
    return statement(this.db, sql).all(now, limit) as Pick<StoredCapability, 'id' | 'access'>[]
  }

  /** Removes a capability with the answers that it got. */
  removeCapability(id: string): void {
    this.#write('DELETE FROM cmc_capability WHERE id = ?', [id])
    this.#write('DELETE FROM cmc_answer WHERE capability = ?', [id])
  }

  /** Records an answer that has been processed. Throws if one came as the same event. */
  addAnswer({ access, capability, endpoint, event }: StoredAnswer): void {
    this.#write('INSERT INTO cmc_answer (event, capability, endpoint, access) VALUES (?, ?, ?, ?)', [
      event,
      capability,
      endpoint,
      access
    ])
  }

  /** Finds the answer that came as this event, or with this endpoint. */
  findAnswer(event: string, capability: string, endpoint: string): StoredAnswer | undefined {
    const sql = 'SELECT * FROM cmc_answer WHERE capability = ? AND (event = ? OR endpoint = ?) LIMIT 1'
    return statement(this.db, sql).get(capability, event, endpoint) as StoredAnswer | undefined
  }

  /** Returns the access that was created for the peer that accepted with an event. */
  findAccessOfAnswer(event: string): string | undefined {
    return column(this.db, 'SELECT access FROM cmc_answer WHERE event = ?').get(event) as string | undefined
  }

  /** Adds a relationship, or moves it behind the other relationships with the same peer. */
  putRelationship({ access, scope, slug }: Pick<StoredRelationship, 'access' | 'scope' | 'slug'>): void {
    const sql = `INSERT OR REPLACE INTO cmc_relationship (access, number, scope, slug)
      VALUES (?, (SELECT ifnull(max(number), 0) + 1 FROM cmc_relationship), ?, ?)`
    this.#write(sql, [access, scope, slug])
  }

  /** Finds the relationship of an access. */
  findRelationship(access: string): StoredRelationship | undefined {
    const sql = `SELECT ${relationshipColumns} FROM cmc_relationship WHERE access = ?`
    return statement(this.db, sql).get(access) as StoredRelationship | undefined
  }

  /** Lists the relationships with a peer, latest first. */
  listWithPeer(slug: string): StoredRelationship[] {
    const sql = `SELECT ${relationshipColumns} FROM cmc_relationship WHERE slug = ? ORDER BY number DESC`
    return statement(this.db, sql).all(slug) as StoredRelationship[]
  }

  /** Lists at most 500 relationships, beginning after the one of an access. */
  listRelationshipsAfter(access: string): StoredRelationship[] {
    const sql = `SELECT ${relationshipColumns} FROM cmc_relationship WHERE access > ? ORDER BY access LIMIT 500`
    return statement(this.db, sql).all(access) as StoredRelationship[]
  }

  /** Lists the relationships that have not been checked since a time, in seconds, the longest unchecked first. */
  listUnchecked(since: number, limit: number): StoredRelationship[] {
    const sql = `SELECT ${relationshipColumns} FROM cmc_relationship WHERE ifnull(checked, 0) < ?
      ORDER BY ifnull(checked, 0), access LIMIT +?`
    return statement(this.db, sql).all(since, limit) as StoredRelationship[]
  }

  /**
   * Returns when the next of the accesses that peers hold expires, in seconds: of those whose peer has not
   * been told. Returns `undefined` if none expires.
   */
  getNextExpiry(): number | undefined {
    const sql = `SELECT body ->> 'expires' FROM ${expiring} ORDER BY body ->> 'expires' LIMIT 1`
    return column(this.db, sql).get() as number | undefined
  }

  /** Lists at most 500 accesses of peers that have expired, and whose peer has not been told. */
  listExpired(now: number): string[] {
    const sql = `SELECT id FROM ${expiring} AND body ->> 'expires' <= ? LIMIT 500`
    return column(this.db, sql).all(now) as string[]
  }

  /** Records when the peer was asked, and since when it answers that our access has ended. */
  recordCheck({
    access,
    checked,
    refused
  }: Pick<StoredRelationship, 'access' | 'checked' | 'refused'>): void {
    this.#write('UPDATE cmc_relationship SET checked = ?, refused = ? WHERE access = ?', [
      checked,
      refused,
      access
    ])
  }

  /** Removes a relationship, if it exists. Its access and its deliveries stay. */
  removeRelationship(access: string): void {
    this.#write('DELETE FROM cmc_relationship WHERE access = ?', [access])
  }

  /** Queues a delivery behind the other deliveries of its relationship. Returns its number. */
  addDelivery(relationship: string, body: string, now: number): number {
    const sql = 'INSERT INTO cmc_outbox (relationship, created, attempts, next, body) VALUES (?, ?, 0, ?, ?)'
    this.#write(sql, [relationship, now, now, body])
    return column(this.db, 'SELECT last_insert_rowid()').get() as number
  }

  /** Finds a delivery again. Numbers of deliveries that are done are used again. */
  findDelivery({
    number,
    relationship
  }: Pick<StoredDelivery, 'number' | 'relationship'>): StoredDelivery | undefined {
    const sql = 'SELECT * FROM cmc_outbox WHERE number = ? AND relationship = ?'
    return statement(this.db, sql).get(number, relationship) as StoredDelivery | undefined
  }

  /** Returns whether anything of a relationship is still to be delivered. */
  isPending(relationship: string): boolean {
    return column(this.db, 'SELECT 1 FROM cmc_outbox WHERE relationship = ? LIMIT 1').get(relationship) === 1
  }

  /** Lists the first delivery of each relationship, most urgent first. */
  listFirstDeliveries(limit: number): StoredDelivery[] {
    const sql = `SELECT * FROM cmc_outbox WHERE number IN (SELECT min(number) FROM cmc_outbox GROUP BY relationship)
      ORDER BY next LIMIT +?`
    return statement(this.db, sql).all(limit) as StoredDelivery[]
  }

  /** Lists the next deliveries by number, after the number `after`. */
  listDeliveriesAfter(after: number, limit: number): StoredDelivery[] {
    const sql = 'SELECT * FROM cmc_outbox WHERE number > ? ORDER BY number LIMIT +?'
    return statement(this.db, sql).all(after, limit) as StoredDelivery[]
  }

  /** Stores the attempts, the next time and the body of a delivery. */
  updateDelivery({ attempts, body, next, number }: StoredDelivery): void {
    this.#write('UPDATE cmc_outbox SET attempts = ?, next = ?, body = ? WHERE number = ?', [
      attempts,
      next,
      body,
      number
    ])
  }

  /** Removes a delivery that is done, or is given up. */
  removeDelivery(number: number): void {
    this.#write('DELETE FROM cmc_outbox WHERE number = ?', [number])
  }

  /** Returns the members of an event's content that only some callers see. */
  findSecrets(event: string): Record<string, unknown> | undefined {
    const text = column(this.db, 'SELECT body FROM cmc_secret WHERE event = ?').get(event) as
      | string
      | undefined
    return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>)
  }

  /** Stores the secrets of an event, which its content does not have; replaces former ones. */
  setSecrets(event: string, secrets: object): void {
    this.#write('INSERT OR REPLACE INTO cmc_secret (event, body) VALUES (?, ?)', [
      event,
      JSON.stringify(secrets)
    ])
  }

  /** Removes the secrets of an event, if it has any. */
  removeSecrets(event: string): void {
    this.#write('DELETE FROM cmc_secret WHERE event = ?', [event])
  }

  /** Clears what is cached. */
  invalidate(): void {
    this.#isUsed = undefined
    this.#hasDeliveries = undefined
  }

  #write(sql: string, values: readonly unknown[]): void {
    statement(this.db, sql).run(...values)
    this.invalidate()
  }
}
