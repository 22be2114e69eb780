/** The rules of one account. An account has few, so all are cached while the file is open. */
import type { Database } from 'better-sqlite3'
import type { Rule, RuleState } from '../../schemas/rule.js'
import { translateError } from '../errors.js'
import { statement } from '../sqlite/statements.js'

/** A rule with its state. */
export interface StoredRule {
  readonly rule: Rule
  readonly state: RuleState
}

interface Row {
  readonly body: string
  readonly state: string
}

/** Seconds of evaluation by which a stored state may be behind before other bookkeeping stores it. */
const minDelay = 60

export class RuleRepository {
  #all: Map<string, StoredRule> | undefined
  /** Changes with every change of a rule, but not of its state. */
  #version = 0
  /** Rules whose states have changed in memory only, with `evaluatedTo` as it is stored. */
  readonly #noted = new Map<string, number>()
  #flushed: readonly string[] = []

  constructor(private readonly db: Database) {}

  /** Finds a rule by its id, with its latest state, also one that is only noted. */
  find(id: string): StoredRule | undefined {
    return this.#load().get(id)
  }

  /** All rules, in no particular order. */
  list(): Iterable<StoredRule> {
    return this.#load().values()
  }

  /** Number of rules. */
  get size(): number {
    return this.#load().size
  }

  /** Differs after each change of a rule, and after {@link markOutdated}. */
  get version(): number {
    return this.#version
  }

  /** Adds a rule, or replaces the one with its id. */
  put(stored: StoredRule): void {
    const { rule, state } = stored
    this.#write(
      'INSERT OR REPLACE INTO rule (id, access, body, state) VALUES (?, ?, ?, ?)',
      rule.id,
      rule.accessId,
      JSON.stringify(rule),
      JSON.stringify(state)
    )
    this.#load().set(rule.id, stored)
    this.#noted.delete(rule.id)
    this.#version++
  }

  /** Stores the state of a rule. */
  setState(id: string, state: RuleState): void {
    this.#storeState(id, state)
    this.#setInMemory(id, state)
    this.#noted.delete(id)
  }

  /** Changes the state of a rule in memory: after a crash, the stored state leads to the same. */
  noteState(id: string, state: RuleState): void {
    this.#note(id, state)
  }

  /** Notes in memory that a rule has nothing to do with what was written until a time in seconds. */
  notePassed(id: string, evaluatedTo: number): void {
    const stored = this.#load().get(id)
    if (!stored) return
    const { state } = stored
    if (!this.#noted.has(id)) this.#noted.set(id, state.evaluatedTo)
    // In place: most writes of what rules watch come here.
    Object.assign(state, { evaluatedTo })
  }

  /** Returns by how many seconds of evaluation the stored state of a rule is behind. */
  getDelay(id: string): number {
    const storedTo = this.#noted.get(id)
    return storedTo === undefined ? 0 : this.#load().get(id)!.state.evaluatedTo - storedTo
  }

  /**
   * Stores states that are behind by at least a minute, within the transaction of other bookkeeping: no state
   * is worth one of its own.
   */
  flush(): void {
    if (this.#noted.size === 0) return
    this.#flushed = [...this.#noted.keys()].filter(id => this.getDelay(id) >= minDelay)
    for (const id of this.#flushed) this.#storeState(id, this.#load().get(id)!.state)
  }

  /** To be called once what was flushed has been committed. */
  markFlushed(): void {
    for (const id of this.#flushed) this.#noted.delete(id)
    this.#flushed = []
  }

  /** Has all that is known of the rules found out again: something on which they depend has changed. */
  markOutdated(): void {
    this.#version++
  }

  /** Removes a rule with its state, if it exists. */
  remove(id: string): void {
    this.#write('DELETE FROM rule WHERE id = ?', id)
    this.#load().delete(id)
    this.#noted.delete(id)
    this.#version++
  }

  /** Removes the rules of an access. */
  removeByAccess(access: string): void {
    for (const { rule } of this.list()) if (rule.accessId === access) this.remove(rule.id)
  }

  /** Drops the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#all = undefined
    this.#noted.clear()
    this.#flushed = []
    this.#version++
  }

  #note(id: string, state: RuleState): void {
    const before = this.#setInMemory(id, state)
    if (before && !this.#noted.has(id)) this.#noted.set(id, before.evaluatedTo)
  }

  #storeState(id: string, state: RuleState): void {
    this.#write('UPDATE rule SET state = ? WHERE id = ?', JSON.stringify(state), id)
  }

  /** Returns the state before; `undefined` if there is no such rule. */
  #setInMemory(id: string, state: RuleState): RuleState | undefined {
    const stored = this.#load().get(id)
    if (stored) this.#load().set(id, { ...stored, state })
    return stored?.state
  }

  #write(sql: string, ...values: readonly string[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }

  #load(): Map<string, StoredRule> {
    if (this.#all) return this.#all
    const rows = statement(this.db, 'SELECT body, state FROM rule').all() as Row[]
    const all = rows.map(({ body, state }): StoredRule => ({
      rule: JSON.parse(body) as Rule,
      state: JSON.parse(state) as RuleState
    }))
    return (this.#all = new Map(all.map(stored => [stored.rule.id, stored])))
  }
}
