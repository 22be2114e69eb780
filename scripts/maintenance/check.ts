/** Checks a data directory, whether or not a service owns it: integrity values, the bytes of files, SQLite's own checks. (docs/spec/integrity.md#values) */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DiskAttachments } from '../../storage/files/attachments.js'
import { PlatformInspection } from '../../storage/inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { DirectoryLocked, lockDirectory } from '../../storage/sqlite/lock.js'
import type { Account } from '../../storage/platform/account.js'
import { AccountCheck, type Counts, type Problem } from './check-account.js'

export interface Report {
  readonly problems: readonly Problem[]
  readonly counts: Counts
}

/** Receives the progress of a check. */
export interface Progress {
  begin(accounts: number): void
  step(counts: Counts): void
}

/**
 * Checks everything below a data directory, and changes nothing. Keeps others out meanwhile; while somebody is in, each account is
 * read as of one moment.
 */
export async function checkDirectory(layout: Layout, progress?: Progress): Promise<Report> {
  const release = lockUnlessOwned(layout)
  try {
    return await new DirectoryCheck(layout, progress, release === undefined).run()
  } finally {
    release?.()
  }
}

function lockUnlessOwned({ lockFile }: Layout): (() => void) | undefined {
  try {
    return lockDirectory(lockFile)
  } catch (error) {
    if (error instanceof DirectoryLocked) return undefined
    throw error
  }
}

/** How often an account is read in which something is wrong while a service writes to it, and the pause between, in milliseconds. */
const [attempts, pauseMs] = [5, 100]

export function newCounts(): Counts {
  return {
    accounts: 0,
    events: 0,
    deletions: 0,
    versions: 0,
    accesses: 0,
    calls: 0,
    attachments: 0,
    attachmentBytes: 0,
    unsealed: 0,
    leftOver: 0
  }
}

class DirectoryCheck {
  readonly #problems: Problem[] = []
  readonly #counts = newCounts()
  readonly #attachments: DiskAttachments

  constructor(
    private readonly layout: Layout,
    private readonly progress: Progress | undefined,
    /** Whether others may write meanwhile. */
    private readonly isLive: boolean
  ) {
    this.#attachments = new DiskAttachments(layout)
  }

  async run(): Promise<Report> {
    const report = { problems: this.#problems, counts: this.#counts }
    let platform: PlatformInspection
    try {
      platform = new PlatformInspection(this.layout)
    } catch (error) {
      this.#platformProblem(error)
      return report
    }
    try {
      for (const detail of platform.findProblems()) this.#platformProblem(detail)
      this.progress?.begin(platform.countAccounts())
      await this.#accounts(platform)
      this.#unknownFolders(platform)
    } catch (error) {
      this.#platformProblem(error)
    } finally {
      platform.close()
    }
    return report
  }

  async #accounts(platform: PlatformInspection): Promise<void> {
    for (const account of platform.accounts()) {
      this.#counts.accounts++
      // Incomplete creations and removals are recovered when the service starts.
      if (account.state === 'active') await this.#account(platform, account)
      this.progress?.step(this.#counts)
    }
  }

  /** What a write meanwhile may have caused, such as a file that went with its event, is not found again. */
  async #account(platform: PlatformInspection, account: Account): Promise<void> {
    let { counts, problems } = await this.#read(platform, account)
    for (let left = attempts - 1; this.isLive && problems.length > 0 && left > 0; left--) {
      await wait(pauseMs)
      // It has been deleted meanwhile.
      if (!platform.isActive(account.id)) return
      const again = await this.#read(platform, account)
      const found = new Set(again.problems.map(problem => JSON.stringify(problem)))
      problems = problems.filter(problem => found.has(JSON.stringify(problem)))
      counts = again.counts
    }
    this.#problems.push(...problems)
    for (const name of Object.keys(counts) as (keyof Counts)[]) this.#counts[name] += counts[name]
  }

  async #read(
    platform: PlatformInspection,
    account: Account
  ): Promise<{ counts: Counts; problems: Problem[] }> {
    const [counts, problems] = [newCounts(), [] as Problem[]]
    const indexed = platform.uniqueValues(account.id)
    const report = (problem: Problem): void => void problems.push(problem)
    await new AccountCheck(this.layout, this.#attachments, account, counts, indexed, report).run()
    return { counts, problems }
  }

  /** Reports folders of accounts that are not in the platform file. */
  #unknownFolders(platform: PlatformInspection): void {
    const { usersDirectory } = this.layout
    if (!existsSync(usersDirectory)) return
    for (const shard of readdirSync(usersDirectory))
      for (const id of readdirSync(join(usersDirectory, shard)))
        // It may have been removed meanwhile.
        if (!platform.hasAccount(id) && existsSync(join(usersDirectory, shard, id)))
          this.#platformProblem(`has no account for the folder ${id}`)
  }

  #platformProblem(detail: unknown): void {
    const text = detail instanceof Error ? detail.message : String(detail)
    this.#problems.push({ kind: 'platform', detail: text })
  }
}
