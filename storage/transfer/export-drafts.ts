/** Copies of accounts' files that are on their way out as exports. */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { translated } from '../errors.js'
import type { Layout } from '../layout.js'
import type { UserStore } from '../user-store.js'
import { AccountReader } from './account-reader.js'

const draftName = /^export-[0-9a-f-]{36}$/

export class ExportDrafts {
  constructor(private readonly layout: Layout) {}

  /** Copies an account's file as of one moment, while it is used; answers the name of the copy. */
  async make(store: UserStore): Promise<string> {
    const name = `export-${randomUUID()}`
    try {
      await store.copyTo(this.#path(name))
      return name
    } catch (error) {
      await this.discard(name)
      throw translated(error)
    }
  }

  /** Reads a copy, without what would let others in. */
  open(name: string): AccountReader {
    return new AccountReader(this.#path(name), false)
  }

  /** Removes a copy. */
  async discard(name: string): Promise<void> {
    for (const kind of ['', '-wal', '-shm', '-journal']) await rm(this.#path(name) + kind, { force: true })
  }

  #path(name: string): string {
    if (!draftName.test(name)) throw new Error('Not the name of a copy')
    return join(this.layout.draftsDirectory, name)
  }
}
