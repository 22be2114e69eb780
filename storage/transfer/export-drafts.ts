/** Copies of accounts' files that are on their way out as exports. */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { translated } from '../errors.js'
import type { Layout } from '../layout.js'
import type { UserStore } from '../user-store.js'
import { AccountReader } from './account-reader.js'

const draftName = /^export-c[a-z0-9]{24}-[0-9a-f-]{36}$/

/** Copies of one account at a time: each takes as much room as its file. */
const most = 2

export class ExportDrafts {
  constructor(private readonly layout: Layout) {}

  /** Copies an account's file as of one moment, while it is used; answers the name of the copy, nothing if there are too many. */
  async make(account: string, store: UserStore): Promise<string | undefined> {
    const begin = `export-${account}-`
    const names = readdirSync(this.layout.draftsDirectory)
    if (names.filter(name => draftName.test(name) && name.startsWith(begin)).length >= most) return undefined
    const name = begin + randomUUID()
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
