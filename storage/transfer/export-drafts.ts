/** Temporary copies of accounts' files, made for exports. */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { translateError } from '../errors.js'
import type { Layout } from '../files/layout.js'
import type { UserStore } from '../user/user-store.js'
import { AccountReader } from './account-reader.js'

const draftName = /^export-(c[a-z0-9]{24})-[0-9a-f-]{36}$/

/** Maximum number of copies at a time, per account and in total: each takes as much disk space as the file. */
const maxCopies = { perAccount: 2, total: 20 }

/** Copies of accounts' files, from which exports are read. */
export class ExportDrafts {
  /** Names of copies being made, whose files may not exist yet. */
  readonly #pending = new Set<string>()

  constructor(private readonly layout: Layout) {}

  /**
   * Makes a consistent copy of an account's file while it is in use. Returns its name; `undefined` if there
   * are too many copies. Throws `StorageFull`, `StoreDamaged`.
   */
  async create(account: string, store: UserStore): Promise<string | undefined> {
    const prefix = `export-${account}-`
    const names = new Set([...this.#pending, ...readdirSync(this.layout.draftsDirectory)])
    const drafts = [...names].filter(name => draftName.test(name))
    const own = drafts.filter(name => name.startsWith(prefix))
    if (drafts.length >= maxCopies.total || own.length >= maxCopies.perAccount) return undefined
    const name = prefix + randomUUID()
    this.#pending.add(name)
    try {
      await store.copyTo(this.#path(name))
      return name
    } catch (error) {
      await this.discard(name)
      throw translateError(error, this.layout.userFile(account))
    } finally {
      this.#pending.delete(name)
    }
  }

  /**
   * Opens a copy for reading without its secrets. Throws `StoreDamaged` if it is gone. The caller has to close
   * it.
   */
  open(name: string): AccountReader {
    const [, account = ''] = draftName.exec(name) ?? []
    const original = this.layout.userFile(account)
    return new AccountReader(this.#path(name), { includesSecrets: false, original })
  }

  /** Removes a copy. */
  async discard(name: string): Promise<void> {
    for (const kind of ['', '-wal', '-shm', '-journal']) await rm(this.#path(name) + kind, { force: true })
  }

  #path(name: string): string {
    if (!draftName.test(name)) throw new Error('Not a valid name of a copy')
    return join(this.layout.draftsDirectory, name)
  }
}
