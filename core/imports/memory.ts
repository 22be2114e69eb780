/**
 * What is remembered for the next import: how tables are understood, what has become series, and the key that ids are made
 * with. Each app has a memory of its own, so that its imports do not meet what others have brought in.
 * (docs/decisions/0019-imports.md)
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Form } from '../../imports/protocol.js'
import type { Mapping } from '../../imports/record.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Caller } from '../permissions/caller.js'
import type { Job } from './job.js'

const keySize = 32
/** Characters that are remembered of a kind: all of them are read with each file. */
const mostRemembered = 4 * 1024 * 1024

/** Names the app behind a call, with its device; `undefined` for the owner. */
export function appOf({ access }: Pick<Caller, 'access'>): string | undefined {
  return access?.type === 'app' ? JSON.stringify([access.name, access.deviceName ?? null]) : undefined
}

export class ImportMemory {
  readonly #prefix: string

  constructor(
    private readonly store: UserStore,
    private readonly job: Pick<Job, 'app'>
  ) {
    const { app } = job
    this.#prefix = app === undefined ? '' : `app-${createHash('sha256').update(app).digest('hex')}:`
  }

  /** The key that ids of records are made with, as hexadecimal digits. That of the account is made if there is none. */
  async key(): Promise<string> {
    const { app } = this.job
    const own = this.store.imports.getMemory('key') ?? (await this.#newKey())
    return app === undefined ? own : createHmac('sha256', Buffer.from(own, 'hex')).update(app).digest('hex')
  }

  /** What lanes have become, by their keys. */
  forms(): Record<string, Form> {
    return this.#all('form:', value => value as Form)
  }

  /** To be called within a transaction. What a lane has become it remains. */
  rememberForms(lanes: readonly { readonly key: string; readonly form: Form }[]): void {
    const prefix = `${this.#prefix}form:`
    const fresh = lanes.filter(({ key }) => this.store.imports.getMemory(prefix + key) === undefined)
    this.#remember(
      prefix,
      fresh.map(({ form, key }) => [key, form])
    )
  }

  /** How tables are understood, by their headers. */
  mappings(): Record<string, Mapping> {
    return this.#all('mapping:', value => JSON.parse(value) as Mapping)
  }

  /** To be called within a transaction. */
  rememberMappings(mappings: Readonly<Record<string, Mapping>>): void {
    const entries = Object.entries(mappings)
    this.#remember(
      `${this.#prefix}mapping:`,
      entries.map(([header, mapping]) => [header, JSON.stringify(mapping)])
    )
  }

  /** Remembers values by names. If there would be too much, what was remembered before is forgotten. */
  #remember(prefix: string, entries: readonly (readonly [name: string, value: string])[]): void {
    if (entries.length === 0) return
    const { imports } = this.store
    const added = entries.reduce((sum, [name, value]) => sum + prefix.length + name.length + value.length, 0)
    if (imports.getMemorySize(prefix) + added > mostRemembered) imports.removeMemoryWithPrefix(prefix)
    for (const [name, value] of entries) imports.setMemory(prefix + name, value)
  }

  #all<T>(kind: string, valueOf: (text: string) => T): Record<string, T> {
    const prefix = this.#prefix + kind
    const found = this.store.imports.listMemory(prefix)
    return Object.fromEntries(found.map(({ name, value }) => [name.slice(prefix.length), valueOf(value)]))
  }

  async #newKey(): Promise<string> {
    const key = randomBytes(keySize).toString('hex')
    await this.store.write(() => this.store.imports.setMemory('key', key))
    return key
  }
}
