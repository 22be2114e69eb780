/** The deeds of operators: rows are added, never changed; beyond a number the oldest go. (docs/spec/administration.md#deeds) */
import type { Database } from 'better-sqlite3'
import { statement } from '../sqlite/statements.js'

/** A deed to record. */
export interface AdminAction {
  /** Seconds. */
  readonly time: number
  readonly method: string
  /** Id of the operator's account; `null` for the holder of the key. */
  readonly operator: string | null
  /** Id of the account concerned, if there is one. */
  readonly target: string | null
  /** What was asked for. */
  readonly detail: Readonly<Record<string, unknown>>
  /** Id of the error, if it was refused. */
  readonly error: string | null
  readonly ip: string
}

/** A recorded deed. Accounts that are gone have no name. */
export interface StoredAdminAction extends AdminAction {
  /** Grows with each deed. */
  readonly number: number
  readonly operatorName: string | null
  readonly targetName: string | null
}

/** Deeds that are kept of those that were done. */
export const maxActions = 10_000

/** Refusals that are kept: however many there are, they take the place of nothing that was done. */
export const maxRefusals = 1000

type Row = Omit<StoredAdminAction, 'detail'> & { readonly detail: string }

/** The deeds. What adds some is done by commands alone. (storage/platform/commands.ts) */
export class AdminActionRepository {
  constructor(
    private readonly db: Database,
    private readonly limit = maxActions,
    private readonly refusalLimit = maxRefusals
  ) {}

  /** Adds a deed, and removes the oldest one of its kind, done or refused, if there are too many. */
  add(action: AdminAction): void {
    this.#insert(action)
    this.#removeExcess(action.error !== null)
  }

  /** The latest deeds before a number, latest first. */
  list(before: number, limit: number): StoredAdminAction[] {
    const sql = `SELECT deed.*, o.username AS operatorName, t.username AS targetName
      FROM operator_deed AS deed LEFT JOIN account AS o ON o.id = operator LEFT JOIN account AS t ON t.id = target
      WHERE number < ? ORDER BY number DESC LIMIT +?`
    const rows = statement(this.db, sql).all(before, limit) as Row[]
    return rows.map(row => ({ ...row, detail: parseDetail(row.detail) }))
  }

  /** Adds deeds that were saved from another file, oldest first. */
  restore(actions: readonly (Omit<AdminAction, 'detail'> & { readonly detail: string })[]): void {
    for (const { detail, ...action } of actions) this.#insert({ ...action, detail: parseDetail(detail) })
    for (const isRefused of [false, true]) this.#removeExcess(isRefused)
  }

  #insert({ detail, error, ip, method, operator, target, time }: AdminAction): void {
    const sql =
      'INSERT INTO operator_deed (time, method, operator, target, detail, error, ip) VALUES (?, ?, ?, ?, ?, ?, ?)'
    statement(this.db, sql).run(time, method, operator, target, JSON.stringify(detail), error, ip)
  }

  #removeExcess(isRefused: boolean): void {
    const kind = `error IS ${isRefused ? 'NOT ' : ''}NULL`
    const sql = `DELETE FROM operator_deed WHERE ${kind} AND number <=
      (SELECT number FROM operator_deed WHERE ${kind} ORDER BY number DESC LIMIT 1 OFFSET +?)`
    statement(this.db, sql).run(isRefused ? this.refusalLimit : this.limit)
  }
}

/** The file may come from a backup that somebody has changed: what is no object says nothing. */
function parseDetail(text: string): AdminAction['detail'] {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as AdminAction['detail']) : {}
  } catch {
    return {}
  }
}
