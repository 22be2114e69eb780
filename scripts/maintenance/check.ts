/** Checks a data directory while no service owns it: integrity values, the bytes of files, SQLite's own checks. (docs/spec/integrity.md#values) */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DiskAttachments } from '../../storage/files/attachments.js'
import { PlatformInspection } from '../../storage/inspection.js'
import type { Layout } from '../../storage/files/layout.js'
import { lockDirectory } from '../../storage/sqlite/lock.js'
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

/** Checks everything below a data directory. Throws `DirectoryLocked` while a service owns it. */
export async function checkDirectory(layout: Layout, progress?: Progress): Promise<Report> {
  const release = lockDirectory(layout.lockFile)
  try {
    return await new DirectoryCheck(layout, progress).run()
  } finally {
    release()
  }
}

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
    private readonly progress: Progress | undefined
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
      for (const detail of platform.problems()) this.#platformProblem(detail)
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
      if (account.state === 'active')
        await new AccountCheck(
          this.layout,
          this.#attachments,
          account,
          this.#counts,
          platform.uniqueValues(account.id),
          problem => this.#problems.push(problem)
        ).run()
      this.progress?.step(this.#counts)
    }
  }

  /** Reports folders of accounts that are not in the platform file. */
  #unknownFolders(platform: PlatformInspection): void {
    const { usersDirectory } = this.layout
    if (!existsSync(usersDirectory)) return
    for (const shard of readdirSync(usersDirectory))
      for (const id of readdirSync(join(usersDirectory, shard)))
        if (!platform.hasAccount(id)) this.#platformProblem(`has no account for the folder ${id}`)
  }

  #platformProblem(detail: unknown): void {
    const text = detail instanceof Error ? detail.message : String(detail)
    this.#problems.push({ kind: 'platform', detail: text })
  }
}
