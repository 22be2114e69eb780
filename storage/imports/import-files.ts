/** The files of imports, in the folder of their account, and the list of accounts with imports in progress. */
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { translateError } from '../errors.js'
import type { Account } from '../platform/account.js'
import { syncPathNow } from '../files/durable.js'
import { isAccountId, type Layout } from '../files/layout.js'

/** The files of imports, by the ids of account and import. */
export class ImportFiles {
  constructor(private readonly layout: Layout) {}

  /** Returns the path of a file. */
  getPath(account: string, id: string): string {
    return this.layout.importFile(account, id)
  }

  /** Returns the path to which a reader may unpack a part of a file. */
  getSpoolPath(account: string, id: string): string {
    return `${this.getPath(account, id)}.part`
  }

  /** Returns the path to which a reader may unpack an event's file until it is stored. */
  getUnpackedPath(account: string, id: string): string {
    return `${this.getPath(account, id)}.file`
  }

  /** Opens the file at {@link getUnpackedPath} for reading. */
  openUnpacked(account: string, id: string): Readable {
    return createReadStream(this.getUnpackedPath(account, id))
  }

  /** Returns whether the file of an import is in its place. */
  exists(account: string, id: string): boolean {
    return existsSync(this.getPath(account, id))
  }

  /**
   * Moves a file that was received as an attachment to its place, unless it is there already. The move is on
   * disk when this returns. Does nothing if neither file exists.
   */
  moveAttachment(account: string, attachment: string, id: string): void {
    const [folder, received] = [
      this.layout.importsDirectory(account),
      this.layout.attachmentFile(account, attachment)
    ]
    if (this.exists(account, id) || !existsSync(received)) return
    try {
      // The folder is not created recursively: if the folder of the account is missing, the account was deleted.
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
      renameSync(received, this.getPath(account, id))
      syncPathNow(folder)
      syncPathNow(this.layout.userDirectory(account))
    } catch (error) {
      throw translateError(error, folder)
    }
  }

  /** Adds the file of an import from any path: as a hard link if possible, else as a copy. Throws errors of the file system. */
  linkOrCopy(account: string, file: string, id: string): void {
    const folder = this.layout.importsDirectory(account)
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    const path = this.getPath(account, id)
    try {
      linkSync(file, path)
    } catch {
      copyFileSync(file, path)
      chmodSync(path, 0o600)
    }
    syncPathNow(folder)
  }

  /** Removes the file of an import and its unpacked files. Idempotent. */
  async remove(account: string, id: string): Promise<void> {
    for (const path of this.#paths(account, id)) await rm(path, { force: true })
  }

  /** Like {@link remove}, but synchronously. */
  removeNow(account: string, id: string): void {
    for (const path of this.#paths(account, id)) rmSync(path, { force: true })
  }

  /** Removes the unpacked files of an import. */
  removeSpool(account: string, id: string): void {
    for (const path of [this.getSpoolPath(account, id), this.getUnpackedPath(account, id)])
      rmSync(path, { force: true })
  }

  /** Removes the files of an account that belong to none of these imports. */
  removeOthers(account: string, ids: ReadonlySet<string>): void {
    const folder = this.layout.importsDirectory(account)
    if (!existsSync(folder)) return
    for (const name of readdirSync(folder))
      if (!ids.has(name.split('.', 1)[0]!)) rmSync(join(folder, name), { force: true })
  }

  /** Marks an account as having imports in progress, which the next start resumes. Throws `StorageFull`. */
  mark({ id, username }: Pick<Account, 'id' | 'username'>): void {
    const folder = this.layout.importingDirectory
    const file = join(folder, id)
    const draft = `${file}.new`
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (existsSync(file)) return
      // A truncated file would name another account.
      writeFileSync(draft, username, { mode: 0o600, flush: true })
      renameSync(draft, file)
      syncPathNow(folder)
    } catch (error) {
      rmSync(draft, { force: true })
      throw translateError(error, file)
    }
  }

  /** Returns whether an account is marked, see {@link mark}. */
  isMarked(id: string): boolean {
    return existsSync(join(this.layout.importingDirectory, id))
  }

  /** Removes the mark of an account. Idempotent. */
  unmark(id: string): void {
    rmSync(join(this.layout.importingDirectory, id), { force: true })
  }

  /** Lists the marked accounts. */
  listMarked(): { id: string; username: string }[] {
    const folder = this.layout.importingDirectory
    if (!existsSync(folder)) return []
    return readdirSync(folder)
      .filter(isAccountId)
      .map(id => ({ id, username: readFileSync(join(folder, id), 'utf8') }))
  }

  #paths(account: string, id: string): string[] {
    return [this.getPath(account, id), this.getSpoolPath(account, id), this.getUnpackedPath(account, id)]
  }
}
