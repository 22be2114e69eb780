/**
 * Actions of operators. Rows are added, never changed; beyond a limit the oldest are removed.
 * (docs/spec/administration.md#activity-log)
 */
import type { Database } from 'better-sqlite3'
import { statement } from '../sqlite/statements.js'

/** An action to record. */
export interface AdminAction {
  /** Seconds. */
  readonly time: number
  readonly method: string
  /** Id of the operator's account; `null` for the holder of the key. */
  readonly operator: string | null
  /** Id of the account concerned; `null` for actions that concern no account. */
  readonly target: string | null
  /** Parameters of the call. */
  readonly detail: Readonly<Record<string, unknown>>
  /** Id of the error, if it was refused. */
  readonly error: string | null
  readonly ip: string
}

/** A recorded action. The names are `null` for deleted accounts. */
interface StoredAdminAction extends AdminAction {
  /** Increases with each action. */
  readonly number: number
  readonly operatorName: string | null
  readonly targetName: string | null
}

/** Maximum number of stored actions that succeeded. */
const maxActions = 10_000

/** Maximum number of stored refusals, counted separately so that they never displace actions that succeeded. */
const maxRefusals = 1000

type Row = Omit<StoredAdminAction, 'detail'> & { readonly detail: string }

/** The actions. Added by commands only. (storage/platform/commands.ts) */
export class AdminActionRepository {
  constructor(
    private readonly db: Database,
    private readonly limit = maxActions,
    private readonly refusalLimit = maxRefusals
  ) {}

  /** Adds an action, and removes the oldest one of its kind (succeeded or refused) beyond the limit. */
  add(action: AdminAction): void {
    this.#insert(action)
    this.#removeExcess(action.error !== null)
  }

  /** Lists the latest actions before a number, latest first. */
  list(before: number, limit: number): StoredAdminAction[] {
    const sql = `SELECT deed.*, o.username AS operatorName, t.username AS targetName
      FROM operator_deed AS deed LEFT JOIN account AS o ON o.id = operator LEFT JOIN account AS t ON t.id = target
      WHERE number < ? ORDER BY number DESC LIMIT +?`
    const rows = statement(this.db, sql).all(before, limit) as Row[]
    return rows.map(row => ({ ...row, detail: parseDetail(row.detail) }))
  }

  /** Adds actions that were saved from another file, oldest first. */
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

/** Parses the details; empty if they are not an object, as in a modified backup. */
function parseDetail(text: string): AdminAction['detail'] {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as AdminAction['detail']) : {}
  } catch {
    return {}
  }
}
