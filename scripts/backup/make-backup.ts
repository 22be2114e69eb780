/**
 * Makes a backup of a data directory or a cluster, whether or not a service is running. The platform file is copied first, and
 * determines which accounts to copy. Accounts created meanwhile are in the next backup; accounts deleted meanwhile are skipped.
 */
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { version } from '../../core/version.js'
import { readChunks } from '../../storage/files/durable.js'
import { nameOriginal } from '../../storage/errors.js'
import { createCopyFolder, removeCopyFolder, removeStaleCopies } from '../../storage/sqlite/copy-folders.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import type { Progress } from '../terminal/progress.js'
import { BackupError, isFatal, type BackupProblem } from './backup-error.js'
import { checkAccountCopy } from './check-account-copy.js'
import {
  getAttachmentName,
  getAccountFolder,
  writeEarlierManifest,
  readManifest,
  readRecordIfIntact,
  writeManifest,
  type AccountRecord,
  type AccountEntry,
  type Manifest
} from './manifest.js'
import { assertSameService } from './default-place.js'
import { backUpPageSettings } from './page-settings.js'
import type { RetentionRule } from './retention.js'
import { FolderSource } from './sources/folder-source.js'
import type { BackupSource } from './sources/source.js'
import { cleanUp } from './clean-up.js'
import { computeDigest, type Vault } from './vault.js'
import type { Account } from '../../storage/platform/account.js'
import type { Stored } from './stored.js'

export interface BackupReport {
  readonly accounts: number
  /** Accounts that were copied because they had changed. */
  copied: number
  attachments: number
  /** Bytes added to the backup. */
  bytes: number
  readonly problems: BackupProblem[]
}

/** Maximum number of retries with a newer copy if attachments of an account are deleted while it is copied. */
const maxRetries = 5

interface BackupOptions {
  readonly progress?: Progress | undefined
  /** Which earlier states to keep. Without a rule, the states kept so far remain, and the previous state is replaced. */
  readonly keep?: RetentionRule | undefined
  /** The time of the backup in seconds; by default the time at which it completes. */
  readonly made?: number | undefined
  /**
   * Usernames of accounts whose latest state is damaged. Each of their files is read before it is reused, and copied
   * again if it is damaged. The damaged state is not kept.
   */
  readonly damaged?: ReadonlySet<string> | undefined
  /** Where to read the accounts from; by default the data directory. */
  readonly source?: BackupSource | undefined
}

/**
 * Updates a backup. The previous state remains valid until the new one is complete. `layout`: the data directory, also used for
 * temporary copies. Accounts that cannot be copied are reported as problems. Throws {@link BackupError} if the platform database is
 * damaged or the place has backups of another service.
 */
export async function makeBackup(
  layout: Layout,
  vault: Vault,
  options: BackupOptions = {}
): Promise<BackupReport> {
  removeStaleCopies(layout)
  const draft = createCopyFolder(layout)
  try {
    return await new Backup(layout, draft, vault, await readManifest(vault), options).run()
  } finally {
    removeCopyFolder(draft)
  }
}

class Backup {
  readonly #stamp = `${Date.now().toString(36)}-${process.pid.toString(36)}`
  readonly #known: ReadonlyMap<string, AccountEntry>
  #hasUnfinished = false
  /** New lists of files that replace damaged ones, by the names of the damaged ones. */
  readonly #replacedRecords = new Map<string, Stored>()
  readonly #source: BackupSource

  constructor(
    private readonly layout: Layout,
    private readonly draft: Layout,
    private readonly vault: Vault,
    private readonly former: Manifest | undefined,
    private readonly options: BackupOptions
  ) {
    this.#known = new Map(former?.users.map(user => [user.id, user]))
    this.#source = options.source ?? new FolderSource(layout)
  }

  /** Backs up the platform and accounts, writes the manifest, and cleans up. Reports what could not be copied or removed. */
  async run(): Promise<BackupReport> {
    const { damaged, keep, made, progress } = this.options
    await this.#source.copyPlatform(this.draft)
    const accounts = this.#listAccounts()
    const report: BackupReport = {
      accounts: accounts.length,
      copied: 0,
      attachments: 0,
      bytes: 0,
      problems: []
    }
    progress?.begin(accounts.length)
    const users: AccountEntry[] = []
    const missing: Account[] = []
    for (const [index, account] of accounts.entries()) {
      const user = await this.#backUpAccount(account, report)
      if (user) users.push(user)
      else missing.push(account)
      progress?.step(index + 1)
      await nextTurn()
    }
    const platform = await this.#storePlatformFile(missing)
    const settings = await backUpPageSettings({
      source: this.layout,
      vault: this.vault,
      name: `settings-${this.#stamp}.yaml`,
      former: this.former?.settings,
      report,
      isKnownDamaged: damaged !== undefined
    })
    const manifest: Manifest = {
      version: 1,
      made: made ?? Date.now() / 1000,
      software: version,
      platform,
      ...(settings && { settings }),
      users
    }
    if (keep && this.former && !damaged) await writeEarlierManifest(this.vault, this.former)
    await this.vault.place.assertLocked()
    await writeManifest(this.vault, manifest)
    const { former } = this
    const left = await cleanUp(this.vault, manifest, {
      former,
      keep,
      replacedRecords: this.#replacedRecords
    }).catch(
      // The new backup is complete. A later run removes what could not be removed now.
      ({ message }: Error) => [`${message}. Earlier backups and files are unchanged`]
    )
    report.problems.push(...left.map(detail => ({ detail })))
    return report
  }

  /** Returns the active accounts. Throws {@link BackupError} if the platform file is damaged or of another service. */
  #listAccounts(): Account[] {
    const inspection = new PlatformInspection(this.draft)
    try {
      const [problem] = inspection.findProblems()
      // An earlier schema version is fine.
      if (problem !== undefined && !problem.startsWith('is of an earlier version'))
        throw new BackupError(`The platform database is damaged (${problem}). Nothing was backed up`)
      const accounts = [...inspection.accounts()]
      assertSameService(this.vault.place, this.#known, accounts)
      this.#hasUnfinished = accounts.some(({ state }) => state !== 'active')
      return accounts.filter(({ state }) => state === 'active')
    } finally {
      inspection.close()
    }
  }

  /** Stores the platform file, without accounts that are not part of the backup. */
  async #storePlatformFile(missing: readonly Account[]): Promise<Stored> {
    // Opening the store would migrate the file, and the previous version of the software might have to restore it.
    if (missing.length > 0 || this.#hasUnfinished) {
      const store = new PlatformStore(this.draft)
      for (const { id } of missing) store.changeNow('remove', id)
      for (const { id } of store.listUnfinished()) store.changeNow('remove', id)
      store.close()
    }
    return await this.vault.put(`platform-${this.#stamp}.sqlite`, readChunks(this.draft.platformFile))
  }

  /** Returns the new entry, or the earlier one if nothing has changed or copying fails; `undefined` if deleted or without any. */
  async #backUpAccount(account: Account, report: BackupReport): Promise<AccountEntry | undefined> {
    const { id, username } = account
    const known = this.#known.get(id)
    try {
      const mark = await this.#source.getChangeMark(account)
      const isSame = known && mark !== undefined && known.mark === mark
      if (isSame && !this.#isKnownDamaged(username) && (await this.vault.has(known.record)))
        return { ...known, username }
      return await this.#copyAccount(account, mark, known, report)
    } catch (error) {
      if (!(error instanceof Error) || isFatal(error)) throw error
      // The account was deleted in the meantime, which is not a problem.
      if (await this.#source.isDeleted(account)) return undefined
      nameOriginal(error, this.draft.userFile(id), this.layout.userFile(id))
      const rest = known ? '. Its earlier backup is kept' : '. It is not in the backup'
      report.problems.push({ user: username, detail: error.message + rest })
      // The entry has no change mark, so that the next run retries.
      return known && { ...known, username, mark: '' }
    } finally {
      rmSync(this.draft.usersDirectory, { recursive: true, force: true })
    }
  }

  /** Copies an account into the vault, again if attachments disappear meanwhile. Files that the former backup has are not stored again. */
  async #copyAccount(
    account: Account,
    mark: string | undefined,
    known: AccountEntry | undefined,
    report: BackupReport
  ): Promise<AccountEntry> {
    const { id, username } = account
    const former = known && (await readRecordIfIntact(this.vault, known))
    const made = Date.now() / 1000
    for (let left = maxRetries; ; left--) {
      rmSync(this.draft.usersDirectory, { recursive: true, force: true })
      await this.#source.copyAccount(account, this.draft)
      const attachments = checkAccountCopy(this.draft, id)
      const shared = await this.#storeAttachments(account, attachments, former, report)
      if (!shared && left > 0) continue
      if (!shared) throw new BackupError('Attachment files are missing')
      const folder = getAccountFolder(id)
      const file = await this.#storeAccountFile(account, former)
      if (file !== former?.file) report.bytes += file.size
      const record: AccountRecord = { file, attachments: shared }
      const list = Buffer.from(JSON.stringify(record))
      const { digest } = await computeDigest(Readable.from([list]))
      const stored =
        former && known.record.digest === digest
          ? known.record
          : await this.vault.put(`${folder}/${this.#stamp}.json`, Readable.from([list]))
      await this.vault.syncFolder(folder)
      report.copied++
      if (known && !former && known.mark === mark) this.#replacedRecords.set(known.record.name, stored)
      return { id, username, made, ...(mark !== undefined && { mark }), record: stored }
    }
  }

  /** Stores a copy, unless its content is unchanged. The modification time does not tell: closing a file changes it too. */
  async #storeAccountFile({ id, username }: Account, former: AccountRecord | undefined): Promise<Stored> {
    const copy = this.draft.userFile(id)
    const { digest, size } = await computeDigest(readChunks(copy))
    if (former && former.file.digest === digest && former.file.size === size) {
      if (await this.#isIntact(username, former.file)) return former.file
      // The file keeps its name, since earlier states of the backup refer to it as well.
      return await this.vault.put(former.file.name, readChunks(copy))
    }
    return await this.vault.put(`${getAccountFolder(id)}/${this.#stamp}.sqlite`, readChunks(copy))
  }

  /** Stores the attachments that the backup does not contain yet. Returns `undefined` if one was deleted in the meantime. */
  async #storeAttachments(
    account: Account,
    wanted: readonly { id: string; size: number }[],
    former: AccountRecord | undefined,
    report: BackupReport
  ): Promise<AccountRecord['attachments'] | undefined> {
    const { id, username } = account
    const there = new Map(former?.attachments.map(file => [file.id, file]))
    const files: (Stored & { id: string })[] = []
    for (const { id: fileId, size } of wanted) {
      const known = there.get(fileId)
      if (known && (await this.vault.has(known)) && (await this.#isIntact(username, known))) {
        files.push(known)
        continue
      }
      const name = getAttachmentName(id, fileId)
      const stored = await this.#source.withAttachment(account, fileId, this.draft, path =>
        this.vault.linkOrPut(name, path)
      )
      if (!stored) return undefined
      if (stored.size !== size)
        throw new BackupError(`The attachment ${fileId} has ${stored.size} bytes instead of ${size}`)
      await this.vault.syncFolder(dirname(name))
      there.set(fileId, { ...stored, id: fileId })
      files.push({ ...stored, id: fileId })
      report.attachments++
      report.bytes += size
    }
    return files
  }

  #isKnownDamaged(username: string): boolean {
    return this.options.damaged?.has(username) ?? false
  }

  /** Returns true if a file is intact. Only files of accounts that are known to be damaged are read. */
  async #isIntact(username: string, stored: Stored): Promise<boolean> {
    return !this.#isKnownDamaged(username) || (await this.vault.isIntact(stored))
  }
}
