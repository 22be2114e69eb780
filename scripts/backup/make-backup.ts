/**
 * Makes a backup of a data directory, whether or not a service owns it. The platform file is copied first: it says which
 * accounts there are. Those that come later are in the next backup; those that go meanwhile are left out of it.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { version } from '../../core/version.js'
import { copyPlatformFile, copyUserFile, markOf } from '../../storage/sqlite/copies.js'
import { bytesIn } from '../../storage/files/durable.js'
import { PlatformInspection, UserInspection } from '../../storage/inspection.js'
import { isAccountId, Layout } from '../../storage/files/layout.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { brokenRecords } from '../maintenance/check-audit.js'
import { BackupError } from './backup-error.js'
import {
  attachmentName,
  folderOf,
  readManifest,
  readRecord,
  writeManifest,
  type AccountRecord,
  type BackedUp,
  type Manifest
} from './manifest.js'
import { digestOf, type Vault } from './vault.js'
import type { Account } from '../../storage/platform/account.js'
import type { Stored } from './stored.js'

export interface BackupReport {
  readonly accounts: number
  /** Accounts that were copied because they had changed. */
  copied: number
  attachments: number
  /** Bytes that were added to the backup. */
  bytes: number
  readonly problems: { readonly user?: string; readonly detail: string }[]
}

/** Told of how far it is. */
export interface Progress {
  begin(accounts: number): void
  step(account: number): void
}

/** Files of an account that vanish while it is copied are looked for in a newer copy, so often at most. */
const attempts = 5

/** Brings a backup up to date; what is in it stays good until all is done. */
export async function makeBackup(source: Layout, vault: Vault, progress?: Progress): Promise<BackupReport> {
  removeLeftOvers(source.root)
  const draftRoot = mkdtempSync(join(source.root, `copies-${process.pid}-`))
  try {
    return await new Backup(source, new Layout(draftRoot), vault, await readManifest(vault)).run(progress)
  } finally {
    rmSync(draftRoot, { recursive: true, force: true })
  }
}

/** Copies that a process has left behind that was killed. */
function removeLeftOvers(root: string): void {
  for (const name of readdirSync(root)) {
    const pid = /^copies-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(root, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

class Backup {
  readonly #stamp = `${Date.now().toString(36)}-${process.pid.toString(36)}`
  readonly #known: ReadonlyMap<string, BackedUp>

  constructor(
    private readonly source: Layout,
    private readonly draft: Layout,
    private readonly vault: Vault,
    private readonly former: Manifest | undefined
  ) {
    this.#known = new Map(former?.users.map(user => [user.id, user]))
  }

  async run(progress?: Progress): Promise<BackupReport> {
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
    await writeManifest(this.vault, {
      version: 1,
      made: Date.now() / 1000,
      software: version,
      platform,
      users
    })
    await this.#sweep(users, platform)
    return report
  }

  /** Accounts that are neither being made nor on their way out. */
  #accounts(): Account[] {
    const inspection = new PlatformInspection(this.draft)
    try {
      const [problem] = inspection.problems()
      // One of an earlier version is as good.
      if (problem !== undefined && !problem.startsWith('is of an earlier version'))
        throw new BackupError(`The platform file is damaged (${problem}): nothing has been backed up`)
      return [...inspection.accounts()].filter(({ state }) => state === 'active')
    } finally {
      inspection.close()
    }
  }

  /** Puts the platform file in the backup, without accounts that are not in it. */
  async #platform(missing: readonly Account[]): Promise<Stored> {
    const store = new PlatformStore(this.draft)
    for (const { id } of missing) store.remove(id)
    for (const { id } of store.listUnfinished()) store.remove(id)
    store.close()
    return await this.vault.put(`platform-${this.#stamp}.sqlite`, bytesIn(this.draft.platformFile))
  }

  /** The account's part of the backup; nothing if it has gone, or has never been fit to be copied. */
  async #backUp(account: Account, report: BackupReport): Promise<BackedUp | undefined> {
    const { id, username } = account
    const known = this.#known.get(id)
    const mark = markOf(this.source, id)
    if (known && mark !== undefined && known.mark === mark && this.vault.has(known.record))
      return { ...known, username }
    try {
      return await this.#copy(account, mark, known, report)
    } catch (error) {
      // Deleted meanwhile: that is not a problem.
      if (!existsSync(this.source.userDirectory(id))) return undefined
      if (!(error instanceof Error)) throw error
      if (isHopeless(error)) throw error
      const rest = known ? ': what was backed up before is kept' : ': it is not in the backup'
      report.problems.push({ user: username, detail: error.message + rest })
      // Without its mark, so that it is tried again.
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
      const stored = await this.vault.put(name, one(Buffer.from(JSON.stringify(record))))
      await this.vault.settle(folder)
      report.copied++
      return { id, username, made, ...(mark !== undefined && { mark }), record: stored }
    }
  }

  /** A damaged list of files must not keep a newer one from being made. */
  async #formerRecord(known: BackedUp): Promise<AccountRecord | undefined> {
    try {
      return await readRecord(this.vault, known)
    } catch {
      return undefined
    }
  }

  /** Checks the copy of an account's file; answers its attachments. */
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

  /** Puts a copy in the backup, unless it is what is there already: the service may only have closed the file. */
  async #file(id: string, former: AccountRecord | undefined): Promise<Stored> {
    const copy = this.draft.userFile(id)
    const { digest, size } = await digestOf(bytesIn(copy))
    if (former && former.file.digest === digest && former.file.size === size) return former.file
    return await this.vault.put(`${folderOf(id)}/${this.#stamp}.sqlite`, bytesIn(copy))
  }

  /** Puts the attachments in the backup that are not there yet; nothing if one has vanished. */
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
      if (known && this.vault.has(known)) {
        files.push(known)
        continue
      }
      const source = this.source.attachmentFile(id, fileId)
      if (!existsSync(source)) return undefined
      const name = attachmentName(id, fileId)
      const stored = await this.vault.share(name, source)
      if (stored.size !== size)
        throw new BackupError(`The attachment ${fileId} has not as many bytes as it should`)
      await this.vault.settle(dirname(name))
      there.set(fileId, { ...stored, id: fileId })
      files.push({ ...stored, id: fileId })
      report.attachments++
      report.bytes += size
    }
    return files
  }

  /** Removes what the manifest does not name any more, of what this software writes: the rest is somebody else's. */
  async #sweep(users: readonly BackedUp[], platform: Stored): Promise<void> {
    const { vault } = this
    for (const name of vault.list().filter(each => /^platform-[0-9a-z-]+\.sqlite(?:\.age)?$/.test(each)))
      if (name !== vault.fileOf(platform.name)) await vault.remove(name)
    const kept = new Map(users.map(user => [user.id, user]))
    for (const shard of vault.list('users').filter(each => /^[0-9a-f]{3}$/.test(each)))
      for (const id of vault.list(`users/${shard}`).filter(isAccountId)) {
        const user = kept.get(id)
        if (!user) await vault.remove(`users/${shard}/${id}`)
        else if (user.record !== this.#known.get(id)?.record) await this.#sweepUser(user)
      }
  }

  async #sweepUser(user: BackedUp): Promise<void> {
    const { vault } = this
    const folder = folderOf(user.id)
    const { attachments, file } = await readRecord(vault, user)
    const named = new Set([user.record, file, ...attachments].map(({ name }) => vault.fileOf(name)))
    const shards = vault.list(`${folder}/attachments`).filter(each => /^[a-z0-9]{2}$/.test(each))
    for (const at of [folder, ...shards.map(shard => `${folder}/attachments/${shard}`)])
      for (const name of vault
        .list(at)
        .filter(each => /^[a-z0-9-]+(?:\.(?:sqlite|json))?(?:\.age)?$/.test(each)))
        if (name !== 'attachments' && !named.has(`${at}/${name}`)) await vault.remove(`${at}/${name}`)
  }
}

/** Nothing that another account would be spared. */
function isHopeless(error: Error): boolean {
  return error.name === 'StorageFull' || ('code' in error && error.code === 'ENOSPC')
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield bytes
}
