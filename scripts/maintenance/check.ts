/**
 * Checks a data directory, whether or not a service is running: integrity values, attachments, and the databases.
 * (docs/spec/integrity.md#values)
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DiskAttachments, type AttachmentStore } from '../../storage/files/attachments.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
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
  /** Called once, before the first account. */
  begin(accounts: number): void
  /** Called as the check proceeds, with the counts so far. */
  step(counts: Counts): void
}

/**
 * Checks everything in a data directory, and changes nothing. Locks the directory; if a service is running,
 * reads each account as of one moment. What cannot be read is reported as a problem.
 */
export async function checkDirectory(
  layout: Layout,
  progress?: Progress,
  attachments: AttachmentStore = new DiskAttachments(layout)
): Promise<Report> {
  const release = lockUnlessOwned(layout)
  try {
    return await new DirectoryCheck(layout, progress, attachments, release === undefined).run()
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

/** Maximum number of times that an account with problems is read while a service writes to it, and the pause between, in milliseconds. */
const [maxAttempts, pauseMs] = [5, 100]

/** Returns counts of zero. */
export function createCounts(): Counts {
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
  readonly #counts = createCounts()
  constructor(
    private readonly layout: Layout,
    private readonly progress: Progress | undefined,
    private readonly attachments: AttachmentStore,
    /** True if a service may be writing. */
    private readonly isLive: boolean
  ) {}

  /** Checks the platform file, then the files of all accounts. What cannot be read is reported as a problem. */
  async run(): Promise<Report> {
    const report = { problems: this.#problems, counts: this.#counts }
    let platform: PlatformInspection
    try {
      platform = new PlatformInspection(this.layout)
    } catch (error) {
      this.#addPlatformProblem(error)
      return report
    }
    try {
      for (const detail of platform.findProblems()) this.#addPlatformProblem(detail)
      this.progress?.begin(platform.countAccounts())
      await this.#checkAccounts(platform)
      this.#reportUnknownFolders(platform)
    } catch (error) {
      this.#addPlatformProblem(error)
    } finally {
      platform.close()
    }
    return report
  }

  async #checkAccounts(platform: PlatformInspection): Promise<void> {
    for (const account of platform.accounts()) {
      this.#counts.accounts++
      // Incomplete creations and removals are recovered when the service starts.
      if (account.state === 'active') await this.#checkAccount(platform, account)
      this.progress?.step(this.#counts)
    }
  }

  /** Checks an account. Problems caused by concurrent writes, such as an attachment removed with its event, are not found again. */
  async #checkAccount(platform: PlatformInspection, account: Account): Promise<void> {
    let { counts, problems } = await this.#runCheck(platform, account)
    for (let left = maxAttempts - 1; this.isLive && problems.length > 0 && left > 0; left--) {
      await wait(pauseMs)
      // The account has been deleted in the meantime.
      if (!platform.isActive(account.id)) return
      const again = await this.#runCheck(platform, account)
      const found = new Set(again.problems.map(problem => JSON.stringify(problem)))
      problems = problems.filter(problem => found.has(JSON.stringify(problem)))
      counts = again.counts
    }
    this.#problems.push(...problems)
    for (const name of Object.keys(counts) as (keyof Counts)[]) this.#counts[name] += counts[name]
  }

  async #runCheck(
    platform: PlatformInspection,
    account: Account
  ): Promise<{ counts: Counts; problems: Problem[] }> {
    const [counts, problems] = [createCounts(), [] as Problem[]]
    const indexed = platform.uniqueValues(account.id)
    const report = (problem: Problem): void => void problems.push(problem)
    await new AccountCheck(this.layout, this.attachments, account, counts, indexed, report).run()
    return { counts, problems }
  }

  /** Reports folders of accounts that are not in the platform file. */
  #reportUnknownFolders(platform: PlatformInspection): void {
    const { usersDirectory } = this.layout
    if (!existsSync(usersDirectory)) return
    for (const shard of readdirSync(usersDirectory))
      for (const id of readdirSync(join(usersDirectory, shard)))
        // The account may have been removed in the meantime.
        if (!platform.hasAccount(id) && existsSync(join(usersDirectory, shard, id)))
          this.#addPlatformProblem(`has no account for the folder ${id}`)
  }

  #addPlatformProblem(detail: unknown): void {
    const text = detail instanceof Error ? detail.message : String(detail)
    this.#problems.push({ kind: 'platform', detail: text })
  }
}
