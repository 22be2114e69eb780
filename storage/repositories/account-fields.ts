/**
 * The values of account fields: events in the streams of the fields, of which one per field is active.
 * (docs/spec/accounts.md#account-events)
 */
import type { Database } from 'better-sqlite3'
import { aliasField } from '../../schemas/access.js'
import type { Event } from '../../schemas/event.js'
import { limitMarks } from '../../schemas/marks.js'
import { column, hasTable, statement } from '../sqlite/statements.js'
import { connectionField } from '../../schemas/connection.js'
import { identityField } from '../../schemas/identity.js'
import { listSecretKeys } from '../connections/connection-repository.js'
import { listIdentityKeys } from '../identities/identity-repository.js'
import {
  activeId,
  getFieldName,
  getSystemNumber,
  uniqueId,
  type SystemTree
} from '../streams/system-streams.js'

/** A value that must be unique across accounts. */
export interface UniqueValue {
  readonly field: string
  /** Normalized for comparison: see {@link toUniqueKey}. */
  readonly key: string
}

/** The `trashed` state of hidden events; see `EventRow`. */
const hiddenState = 2

const uniqueNumber = getSystemNumber(uniqueId, 'mark')

export class AccountFields {
  constructor(
    private readonly db: Database,
    private readonly system: SystemTree
  ) {}

  /** Lists the values of a field outside the trash, as events, including hidden ones. */
  list(field: string): Event[] {
    const node = this.system.byField.get(field)
    return node ? readEvents(this.db, node.number) : []
  }

  /** Finds the event with the active value. */
  findActive(field: string): Event | undefined {
    return this.list(field).find(isActive)
  }

  /** Returns the JSON text of a field's first value, as stored. `undefined` if the field has none. */
  findFirstBody(field: string): string | undefined {
    const node = this.system.byField.get(field)
    return node && readBodies(this.db, node.number)[0]
  }

  /** Lists the values that must be unique across accounts. */
  listUnique(): UniqueValue[] {
    return listUniqueValues(this.db)
  }

  /** Hides or shows the values of fields whose settings have changed, and hides those of removed fields. */
  applyVisibility(): void {
    const sql = 'SELECT DISTINCT stream, trashed FROM event_stream WHERE stream < 0'
    const places = statement(this.db, sql).all() as { stream: number; trashed: number }[]
    // Changes are rare, and this runs whenever a file is opened: a transaction costs more than this query.
    const wrong = places.filter(({ stream, trashed }) => {
      const system = this.system.byNumber.get(stream)?.system
      return system?.kind !== 'mark' && (system?.isHidden ?? true) !== (trashed === hiddenState)
    })
    if (wrong.length === 0) return
    const move = (): void => {
      for (const { stream, trashed } of wrong)
        this.#setState(stream, trashed, this.system.byNumber.get(stream)?.system?.isHidden ?? true)
    }
    this.db.transaction(move).immediate()
  }

  /** Hides or shows the values in a stream that have the state `from`. */
  #setState(stream: number, from: number, isHidden: boolean): void {
    const sql = `SELECT number, others, json_extract(body, '$.trashed') AS inTrash
      FROM event_stream l CROSS JOIN event e ON e.number = l.event WHERE l.stream = ? AND l.trashed = ?`
    const rows = statement(this.db, sql).all(stream, from) as {
      number: number
      others: string | null
      inTrash: 1 | null
    }[]
    const event = statement(this.db, 'UPDATE event SET trashed = ? WHERE number = ?')
    const link = statement(this.db, 'UPDATE event_stream SET trashed = ? WHERE stream = ? AND event = ?')
    for (const { inTrash, number, others } of rows) {
      const to = isHidden ? hiddenState : (inTrash ?? 0)
      event.run(to, number)
      for (const each of [stream, ...(JSON.parse(others ?? '[]') as number[])]) link.run(to, each, number)
    }
  }
}

/** Returns whether a value is the active one. */
function isActive({ streamIds }: Event): boolean {
  return streamIds.includes(activeId)
}

/**
 * Lists the unique values in a user's file, which the platform's index reflects. They include the confirmed email
 * address, to which password resets are sent even if an app has set another one since, verified further addresses, an
 * address that is still stored in the format of earlier versions, the identities with which the user signs in, the aliases of
 * accesses, and the secrets of connections.
 */
export function listUniqueValues(db: Database): UniqueValue[] {
  const values = readEvents(db, uniqueNumber).map(({ content, streamIds }) => {
    const field = getFieldName(streamIds[0]!)
    return { field, key: toUniqueKey(field, content) }
  })
  const known = new Set(values.flatMap(({ field, key }) => (field === 'email' ? [key] : [])))
  for (const email of [readConfirmedEmail(db), readUnmigratedValues(db).get('email')])
    if (typeof email === 'string') known.add(toUniqueKey('email', email))
  for (const key of listVerifiedAddresses(db)) known.add(key)
  return [
    ...values.filter(({ field }) => field !== 'email'),
    ...Array.from(known, key => ({ field: 'email', key })),
    ...listIdentityKeys(db).map(key => ({ field: identityField, key })),
    ...listAliases(db).map(key => ({ field: aliasField, key })),
    ...listSecretKeys(db).map(key => ({ field: connectionField, key }))
  ]
}

function listAliases(db: Database): string[] {
  const sql = `SELECT json_extract(body, '$.alias') FROM access
    WHERE deleted IS NULL AND json_extract(body, '$.alias') IS NOT NULL`
  return column(db, sql).all() as string[]
}

function readConfirmedEmail(db: Database): unknown {
  return hasTable(db, 'confirmed_value') ? new ConfirmedValues(db).find('email') : undefined
}

/** Lists the verified addresses of an account, in the form in which addresses are compared. */
function listVerifiedAddresses(db: Database): string[] {
  if (!hasTable(db, 'email_address')) return []
  return column(db, 'SELECT key FROM email_address WHERE verified IS NOT NULL ORDER BY key').all() as string[]
}

/**
 * Returns the form in which values of a field are compared: text in Unicode's composed form with a limited
 * number of combining marks, email addresses in lower case.
 */
export function toUniqueKey(field: string, value: unknown): string {
  const text = limitMarks(String(value)).normalize('NFC')
  return field === 'email' ? text.toLowerCase() : text
}

function readEvents(db: Database, stream: number): Event[] {
  return readBodies(db, stream).map(body => JSON.parse(body) as Event)
}

/** Reads the JSON texts of the events in a stream outside the trash, by time. */
function readBodies(db: Database, stream: number): string[] {
  const sql = `SELECT body FROM event_stream l CROSS JOIN event e ON e.number = l.event
    WHERE l.stream = ? AND l.trashed IN (0, 2) ORDER BY l.time, l.event`
  return column(db, sql).all(stream) as string[]
}

/** Reads the values of account fields that are still in the format of earlier versions. */
export function readUnmigratedValues(db: Database): ReadonlyMap<string, unknown> {
  const rows = statement(db, 'SELECT name, value FROM account_field').all() as Record<
    'name' | 'value',
    string
  >[]
  return new Map(rows.map(({ name, value }) => [name, JSON.parse(value)]))
}

/** Values of account fields that the user has set or confirmed, as opposed to those set by apps. */
export class ConfirmedValues {
  constructor(private readonly db: Database) {}

  /** Returns the last confirmed value of a field; `undefined` if there is none. */
  find(field: string): unknown {
    const value = column(this.db, 'SELECT value FROM confirmed_value WHERE field = ?').get(field)
    return typeof value === 'string' ? JSON.parse(value) : undefined
  }

  /** Marks the value of a field as not confirmed. */
  remove(field: string): void {
    statement(this.db, 'DELETE FROM confirmed_value WHERE field = ?').run(field)
  }

  /** Marks a value of a field as confirmed. */
  set(field: string, value: unknown): void {
    const sql = `INSERT INTO confirmed_value (field, value) VALUES (?, ?)
      ON CONFLICT (field) DO UPDATE SET value = excluded.value`
    statement(this.db, sql).run(field, JSON.stringify(value))
  }
}
