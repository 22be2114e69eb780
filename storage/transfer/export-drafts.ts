/** Copies of accounts' files that are on their way out as exports. */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { translated } from '../errors.js'
import type { Layout } from '../files/layout.js'
import type { UserStore } from '../user/user-store.js'
import { AccountReader } from './account-reader.js'

const draftName = /^export-c[a-z0-9]{24}-[0-9a-f-]{36}$/

/** Copies at a time, of one account and of all: each takes as much room as its file. */
const most = { ofOne: 2, ofAll: 20 }

export class ExportDrafts {
  /** Names of copies that are being made: their files may not be there yet. */
  readonly #coming = new Set<string>()

  constructor(private readonly layout: Layout) {}

  /** Copies an account's file as of one moment, while it is used; answers the name of the copy, nothing if there are too many. */
  async make(account: string, store: UserStore): Promise<string | undefined> {
    const begin = `export-${account}-`
    const names = new Set([...this.#coming, ...readdirSync(this.layout.draftsDirectory)])
    const drafts = [...names].filter(name => draftName.test(name))
    const ofOne = drafts.filter(name => name.startsWith(begin))
    if (drafts.length >= most.ofAll || ofOne.length >= most.ofOne) return undefined
    const name = begin + randomUUID()
    this.#coming.add(name)
    try {
      await store.copyTo(this.#path(name))
      return name
    } catch (error) {
      await this.discard(name)
      throw translated(error)
    } finally {
      this.#coming.delete(name)
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
