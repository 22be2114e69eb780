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
    const own = this.store.imports.recall('key') ?? (await this.#newKey())
    return app === undefined ? own : createHmac('sha256', Buffer.from(own, 'hex')).update(app).digest('hex')
  }

  /** What lanes have become, by their keys. */
  forms(): Record<string, Form> {
    return this.#all('form:', value => value as Form)
  }

  /** To be called within a transaction. What a lane has become it remains. */
  rememberForm(lane: string, form: Form): void {
    const name = `${this.#prefix}form:${lane}`
    const { imports } = this.store
    if (imports.recall(name) === undefined) imports.remember(name, form)
  }

  /** How tables are understood, by their headers. */
  mappings(): Record<string, Mapping> {
    return this.#all('mapping:', value => JSON.parse(value) as Mapping)
  }

  /** To be called within a transaction. */
  rememberMapping(header: string, mapping: Mapping): void {
    this.store.imports.remember(`${this.#prefix}mapping:${header}`, JSON.stringify(mapping))
  }

  #all<T>(kind: string, valueOf: (text: string) => T): Record<string, T> {
    const prefix = this.#prefix + kind
    const found = this.store.imports.recallAll(prefix)
    return Object.fromEntries(found.map(({ name, value }) => [name.slice(prefix.length), valueOf(value)]))
  }

  async #newKey(): Promise<string> {
    const key = randomBytes(keySize).toString('hex')
    await this.store.write(() => this.store.imports.remember('key', key))
    return key
  }
}
