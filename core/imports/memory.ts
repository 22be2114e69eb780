/**
 * Stores what later imports need: how tables are interpreted, which lanes are series, and the key from which ids are derived. Each app
 * has its own memory, so that its imports are independent of those of others. (docs/decisions/0019-imports.md)
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { LaneChoice, LaneForm } from '../../imports/protocol.js'
import type { Mapping } from '../../imports/record.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Caller } from '../permissions/caller.js'
import type { Job } from './job.js'

const keySize = 32
/** Maximum size of one kind of values in characters: all of them are read for each file. */
const maxCharacters = 4 * 1024 * 1024

/** Returns the identity of the calling app and its device; `undefined` for the user and for shared accesses. */
export function getAppIdentity({ access }: Pick<Caller, 'access'>): string | undefined {
  return access?.type === 'app' ? JSON.stringify([access.name, access.deviceName ?? null]) : undefined
}

/**
 * Returns the account's key, from which ids of the user's own records are derived. If there is none, creates
 * it, which needs a transaction.
 */
export function requireAccountKey({ imports }: Pick<UserStore, 'imports'>): string {
  const known = imports.getMemory('key')
  if (known !== undefined) return known
  const key = randomBytes(keySize).toString('hex')
  imports.setMemory('key', key)
  return key
}

/** The memory of the app that uploaded a file, or of the user. */
export class ImportMemory {
  readonly #prefix: string

  constructor(
    private readonly store: UserStore,
    private readonly job: Pick<Job, 'app'>
  ) {
    const { app } = job
    this.#prefix = app === undefined ? '' : `app-${createHash('sha256').update(app).digest('hex')}:`
  }

  /**
   * Returns the key from which ids of records are derived, in hexadecimal digits; an app has its own. Creates
   * that of the account if there is none.
   */
  async key(): Promise<string> {
    const { app } = this.job
    const accountKey =
      this.store.imports.getMemory('key') ?? (await this.store.write(() => requireAccountKey(this.store)))
    return app === undefined
      ? accountKey
      : createHmac('sha256', Buffer.from(accountKey, 'hex')).update(app).digest('hex')
  }

  /** Returns the form of one lane; `undefined` if the lane is new. */
  getForm(key: string): LaneForm | undefined {
    return this.store.imports.getMemory(`${this.#prefix}form:${key}`) as LaneForm | undefined
  }

  /** Returns the forms of lanes, by their keys. */
  getForms(): Record<string, LaneForm> {
    return this.#list('form:', value => value as LaneForm)
  }

  /**
   * Stores the forms of lanes, within a transaction. The form of a known lane never changes, and is kept: if there are too many, those
   * of further lanes are not remembered.
   */
  storeForms(lanes: readonly { readonly key: string; readonly form: LaneForm }[]): void {
    const prefix = `${this.#prefix}form:`
    const fresh = lanes.filter(({ key }) => this.store.imports.getMemory(prefix + key) === undefined)
    let room = maxCharacters - this.store.imports.getMemorySize(prefix)
    for (const { form, key } of fresh) {
      room -= prefix.length + key.length + form.length
      if (room >= 0) this.store.imports.setMemory(prefix + key, form)
    }
  }

  /** Returns the mappings of tables, by their headers. */
  getMappings(): Record<string, Mapping> {
    return this.#list('mapping:', value => JSON.parse(value) as Mapping)
  }

  /**
   * Stores the mappings of tables by their headers, within a transaction. If there are too many, those stored
   * before are forgotten.
   */
  storeMappings(mappings: Readonly<Record<string, Mapping>>): void {
    const entries = Object.entries(mappings)
    this.#save(
      `${this.#prefix}mapping:`,
      entries.map(([header, mapping]) => [header, JSON.stringify(mapping)])
    )
  }

  /** Returns the choices for lanes, by their keys. */
  getChoices(): Record<string, LaneChoice> {
    return this.#list('choice:', value => JSON.parse(value) as LaneChoice)
  }

  /**
   * Stores choices for lanes by their keys, within a transaction; `null` removes one. If there are too many,
   * those stored before are forgotten.
   */
  storeChoices(choices: Readonly<Record<string, LaneChoice | null>>): void {
    const prefix = `${this.#prefix}choice:`
    const entries = Object.entries(choices)
    for (const [key, choice] of entries) if (!choice) this.store.imports.removeMemory(prefix + key)
    this.#save(
      prefix,
      entries.flatMap(([key, choice]) => (choice ? [[key, JSON.stringify(choice)] as const] : []))
    )
  }

  /** Stores values by name. If they would exceed the maximum size, the previous ones are removed. */
  #save(prefix: string, entries: readonly (readonly [name: string, value: string])[]): void {
    if (entries.length === 0) return
    const { imports } = this.store
    const added = entries.reduce((sum, [name, value]) => sum + prefix.length + name.length + value.length, 0)
    if (imports.getMemorySize(prefix) + added > maxCharacters) imports.removeMemoryWithPrefix(prefix)
    for (const [name, value] of entries) imports.setMemory(prefix + name, value)
  }

  #list<T>(kind: string, parse: (text: string) => T): Record<string, T> {
    const prefix = this.#prefix + kind
    const found = this.store.imports.listMemory(prefix)
    return Object.fromEntries(found.map(({ name, value }) => [name.slice(prefix.length), parse(value)]))
  }
}
