/**
 * Makes a backup of a data directory, whether or not a service owns it. The platform file is copied first, and decides which
 * accounts to copy. Accounts created meanwhile are in the next backup; accounts deleted meanwhile are left out.
 */
import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { version } from '../../core/version.js'
import { copyPlatformFile, copyUserFile, markOf } from '../../storage/sqlite/copies.js'
import { bytesIn } from '../../storage/files/durable.js'
import { makeCopies, removeCopies, removeLeftOvers } from '../../storage/sqlite/left-overs.js'
import { PlatformInspection, UserInspection } from '../../storage/inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { brokenRecords } from '../maintenance/check-audit.js'
import { BackupError, isFatal } from './backup-error.js'
import {
  attachmentName,
  dropEarlier,
  earlierTimes,
  folderOf,
  keepManifest,
  readEarlier,
  readManifest,
  readRecord,
  writeManifest,
  type AccountRecord,
  type BackedUp,
  type Manifest
} from './manifest.js'
import { mustBeOurs } from './own-place.js'
import { putSettings } from './own-settings.js'
import { keptOf, type KeepRule } from './retention.js'
import { sweep } from './sweep.js'
import { digestOf, type Vault } from './vault.js'
import type { Account } from '../../storage/platform/account.js'
import type { Stored } from './stored.js'

export interface BackupReport {
  readonly accounts: number
  /** Accounts that were copied because they had changed. */
  copied: number
  attachments: number
  /** Bytes added to the backup. */
  bytes: number
  readonly problems: { readonly user?: string; readonly detail: string }[]
}

/** Receives the progress. */
export interface Progress {
  begin(accounts: number): void
  step(account: number): void
}

/** Most retries with a newer copy when attachments of an account are deleted while it is copied. */
const attempts = 5

export interface BackupOptions {
  readonly progress?: Progress | undefined
  /** Which earlier states are kept. Without it those that are kept already stay, and the former one is replaced. */
  readonly keep?: KeepRule | undefined
  /** The time that it is said to be of, in seconds; by default that at which it ends. */
  readonly made?: number | undefined
}

/** Updates a backup. The former state stays valid until the new one is complete. */
export async function makeBackup(
  source: Layout,
  vault: Vault,
  { keep, made, progress }: BackupOptions = {}
): Promise<BackupReport> {
  removeLeftOvers(source)
  const draft = makeCopies(source)
  try {
    return await new Backup(source, draft, vault, await readManifest(vault), keep).run(progress, made)
  } finally {
    removeCopies(draft)
  }
}

class Backup {
  readonly #stamp = `${Date.now().toString(36)}-${process.pid.toString(36)}`
  readonly #known: ReadonlyMap<string, BackedUp>
  #hasUnfinished = false

  constructor(
    private readonly source: Layout,
    private readonly draft: Layout,
    private readonly vault: Vault,
    private readonly former: Manifest | undefined,
    private readonly keep: KeepRule | undefined
  ) {
    this.#known = new Map(former?.users.map(user => [user.id, user]))
  }

  async run(progress?: Progress, made?: number): Promise<BackupReport> {
    await copyPlatformFile(this.source, this.draft)
    const accounts = this.#accounts()
    const report: BackupReport = {
      accounts: accounts.length,
      copied: 0,
      attachments: 0,
      bytes: 0,
      problems: []
    }
    progress?.begin(accounts.length)
    const users: BackedUp[] = []
    const missing: Account[] = []
    for (const [index, account] of accounts.entries()) {
      const user = await this.#backUp(account, report)
      if (user) users.push(user)
      else missing.push(account)
      progress?.step(index + 1)
      await nextTurn()
    }
    const platform = await this.#platform(missing)
    const settings = await putSettings(
      this.source,
      this.vault,
      `settings-${this.#stamp}.yaml`,
      this.former?.settings,
      report
    )
    const manifest: Manifest = {
      version: 1,
      made: made ?? Date.now() / 1000,
      software: version,
      platform,
      ...(settings && { settings }),
      users
    }
    if (this.keep && this.former) await keepManifest(this.vault, this.former)
    await this.vault.place.mustHold()
    await writeManifest(this.vault, manifest)
    await this.#tidy(manifest).catch((error: Error) => {
      // What was just made is whole. What is not removed today is removed another day.
      report.problems.push({ detail: `${error.message}: earlier backups and files are left as they are` })
    })
    return report
  }

  /** Forgets the earlier states that are not to be kept, and removes what none of the others names. */
  async #tidy(manifest: Manifest): Promise<void> {
    const { former, keep, vault } = this
    await vault.place.mustHold()
    const kept = [manifest]
    const gone = former ? [former] : []
    const times = await earlierTimes(vault)
    const latest = Math.floor(manifest.made)
    const wanted = new Set(keep ? keptOf([latest, ...times], keep) : times)
    // A state of the same second gives way to the latest.
    wanted.delete(latest)
    const dropped = times.filter(time => !wanted.has(time))
    for (const time of times) (wanted.has(time) ? kept : gone).push(await readEarlier(vault, time))
    // First what leads to files, then the files: a run that is killed in between leaves nothing that is incomplete.
    for (const time of dropped) await dropEarlier(vault, time)
    await sweep(vault, kept, gone)
  }

  /** The active accounts. */
  #accounts(): Account[] {
    const inspection = new PlatformInspection(this.draft)
    try {
      const [problem] = inspection.problems()
      // An earlier schema version is fine.
      if (problem !== undefined && !problem.startsWith('is of an earlier version'))
        throw new BackupError(`The platform file is damaged (${problem}): nothing has been backed up`)
      const accounts = [...inspection.accounts()]
      mustBeOurs(this.vault.place, this.#known, accounts)
      this.#hasUnfinished = accounts.some(({ state }) => state !== 'active')
      return accounts.filter(({ state }) => state === 'active')
    } finally {
      inspection.close()
    }
  }

  /** Stores the platform file, without the accounts that are not part of the backup. */
  async #platform(missing: readonly Account[]): Promise<Stored> {
    // Otherwise it stays of the version that it has: the version before may be the one that restores it.
    if (missing.length > 0 || this.#hasUnfinished) {
      const store = new PlatformStore(this.draft)
      for (const { id } of missing) store.remove(id)
      for (const { id } of store.listUnfinished()) store.remove(id)
      store.close()
    }
    return await this.vault.put(`platform-${this.#stamp}.sqlite`, bytesIn(this.draft.platformFile))
  }

  /** Backs up an account. Returns its entry; `undefined` if it was deleted, or could not be copied now or before. */
  async #backUp(account: Account, report: BackupReport): Promise<BackedUp | undefined> {
    const { id, username } = account
    const known = this.#known.get(id)
    const mark = markOf(this.source, id)
    if (known && mark !== undefined && known.mark === mark && (await this.vault.has(known.record)))
      return { ...known, username }
    try {
      return await this.#copy(account, mark, known, report)
    } catch (error) {
      // The account was deleted meanwhile, which is not a problem.
      if (!existsSync(this.source.userDirectory(id))) return undefined
      if (!(error instanceof Error)) throw error
      if (isFatal(error)) throw error
      const rest = known ? ': what was backed up before is kept' : ': it is not in the backup'
      report.problems.push({ user: username, detail: error.message + rest })
      // Without its mark, so that the next run tries again.
      return known && { ...known, username, mark: '' }
    } finally {
      rmSync(this.draft.usersDirectory, { recursive: true, force: true })
    }
  }

  async #copy(
    { id, username }: Account,
    mark: string | undefined,
    known: BackedUp | undefined,
    report: BackupReport
  ): Promise<BackedUp> {
    const former = known && (await this.#formerRecord(known))
    const made = Date.now() / 1000
    for (let left = attempts; ; left--) {
      rmSync(this.draft.usersDirectory, { recursive: true, force: true })
      await copyUserFile(this.source, this.draft, id)
      const attachments = this.#verified(id)
      const shared = await this.#attachments(id, attachments, former, report)
      if (!shared && left > 0) continue
      if (!shared) throw new BackupError('Files of attachments are missing')
      const folder = folderOf(id)
      const file = await this.#file(id, former)
      if (file !== former?.file) report.bytes += file.size
      const record: AccountRecord = { file, attachments: shared }
      const name = `${folder}/${this.#stamp}.json`
      const stored = await this.vault.put(name, Readable.from([Buffer.from(JSON.stringify(record))]))
      await this.vault.settle(folder)
      report.copied++
      return { id, username, made, ...(mark !== undefined && { mark }), record: stored }
    }
  }

  /** The former record; `undefined` if it is damaged, which must not prevent a new one. */
  async #formerRecord(known: BackedUp): Promise<AccountRecord | undefined> {
    try {
      return await readRecord(this.vault, known)
    } catch {
      return undefined
    }
  }

  /** Checks the copy of an account's file. Returns its attachments. */
  #verified(id: string): { id: string; size: number }[] {
    const inspection = new UserInspection(this.draft, id)
    try {
      const [problem] = inspection.problems().filter(text => !text.startsWith('is of an earlier version'))
      if (problem !== undefined) throw new BackupError(`The file is damaged (${problem})`)
      for (const { detail, id: record = '' } of brokenRecords(inspection, () => undefined))
        throw new BackupError(`The audit is broken: ${record} ${detail}`)
      return inspection.attachments()
    } finally {
      inspection.close()
    }
  }

  /** Stores a copy, unless its content is unchanged: closing a file changes its modification time too. */
  async #file(id: string, former: AccountRecord | undefined): Promise<Stored> {
    const copy = this.draft.userFile(id)
    const { digest, size } = await digestOf(bytesIn(copy))
    if (former && former.file.digest === digest && former.file.size === size) return former.file
    return await this.vault.put(`${folderOf(id)}/${this.#stamp}.sqlite`, bytesIn(copy))
  }

  /** Stores the attachments that the backup does not hold yet. Returns `undefined` if one was deleted meanwhile. */
  async #attachments(
    id: string,
    wanted: readonly { id: string; size: number }[],
    former: AccountRecord | undefined,
    report: BackupReport
  ): Promise<AccountRecord['attachments'] | undefined> {
    const there = new Map(former?.attachments.map(file => [file.id, file]))
    const files: (Stored & { id: string })[] = []
    for (const { id: fileId, size } of wanted) {
      const known = there.get(fileId)
      if (known && (await this.vault.has(known))) {
        files.push(known)
        continue
      }
      const source = this.source.attachmentFile(id, fileId)
      if (!existsSync(source)) return undefined
      const name = attachmentName(id, fileId)
      const stored = await this.vault.share(name, source)
      if (stored.size !== size)
        throw new BackupError(`The attachment ${fileId} has ${stored.size} bytes instead of ${size}`)
      await this.vault.settle(dirname(name))
      there.set(fileId, { ...stored, id: fileId })
      files.push({ ...stored, id: fileId })
      report.attachments++
      report.bytes += size
    }
    return files
  }
}
