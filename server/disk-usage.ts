/**
 * Measures how much disk space the data directory uses, in the background and at most every ten minutes, and
 * maintains the reserve.
 */
import { lstat, opendir, statfs } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Log } from '../core/log.js'
import type { DiskReserve } from '../storage/files/disk-reserve.js'

/** Sizes in bytes. */
interface DiskUsage {
  /** Time of the measurement, in seconds. */
  readonly measured: number
  /** Free and total bytes of the disk. */
  readonly free: number
  readonly total: number
  /** Databases of accounts, their attachments, their previews, and everything else. */
  readonly documents: number
  readonly attachments: number
  readonly previews: number
  readonly others: number
}

/** Maximum age of a measurement, in seconds. */
const maxAgeSeconds = 600

export class DiskUsageMeter {
  #space: DiskUsage | undefined
  #measuring: Promise<void> | undefined

  /** `now`: the time in seconds. */
  constructor(
    private readonly directory: string,
    private readonly now: () => number
  ) {}

  /** Returns the last measurement; `undefined` before the first one. If it is too old, a new measurement begins. */
  getLatest(): DiskUsage | undefined {
    const isFresh = this.#space !== undefined && Math.abs(this.now() - this.#space.measured) < maxAgeSeconds
    if (!isFresh) void this.measure()
    return this.#space
  }

  /** Measures now, or waits for the measurement in progress. Never rejects: unreadable files count as empty. */
  async measure(): Promise<void> {
    this.#measuring ??= this.#measure().finally(() => (this.#measuring = undefined))
    await this.#measuring
  }

  async #measure(): Promise<void> {
    const sums = { documents: 0, attachments: 0, previews: 0, others: 0 }
    const disk = await statfs(this.directory).catch(() => undefined)
    await this.#add(this.directory, sums)
    this.#space = {
      measured: this.now(),
      free: disk ? disk.bavail * disk.bsize : 0,
      total: disk ? disk.blocks * disk.bsize : 0,
      ...sums
    }
  }

  /** Adds the files below a folder, one folder at a time, so that other work is not delayed. */
  async #add(folder: string, sums: Record<Kind, number>): Promise<void> {
    const opened = await opendir(folder).catch(() => undefined)
    if (!opened) return
    try {
      for await (const entry of opened) {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) await this.#add(path, sums)
        else if (entry.isFile()) sums[getKind(relative(this.directory, path))] += await readSize(path)
      }
    } catch {
      // A folder that was removed in the meantime uses no space.
    }
  }
}

type Kind = 'documents' | 'attachments' | 'previews' | 'others'

/** Returns the kind of a file, from its path in the data directory: `users/{shards}/{account}/…`. */
function getKind(path: string): Kind {
  const parts = path.split(sep)
  if (parts[0] !== 'users') return 'others'
  if (parts.includes('attachments')) return 'attachments'
  if (parts.includes('previews')) return 'previews'
  return parts.at(-1)!.startsWith('user.sqlite') ? 'documents' : 'others'
}

async function readSize(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined)
  return stats?.size ?? 0
}

/** Time between checks, in milliseconds. */
const intervalMs = 2000

/**
 * Creates the reserve, and checks it until the process ends. Logs when the disk is full, and when it has
 * space again. Ends, with a warning, if the reserve cannot be checked.
 */
export function watchDiskReserve(reserve: DiskReserve, directory: string, log: Log): void {
  let wasReleased = false
  const check = (): void => {
    try {
      reserve.create()
      const { isReleased } = reserve
      if (isReleased && !wasReleased) {
        const megabytes = Math.ceil(reserve.neededBytes / 1e6)
        log.warn(
          `the disk of ${directory} is full; writes are refused (507) until ${megabytes} MB are free, reads still work`
        )
      }
      if (wasReleased && !isReleased)
        log.info(`the disk of ${directory} has free space again; writes are accepted`)
      wasReleased = isReleased
    } catch (cause) {
      clearInterval(timer)
      log.warn('the reserved disk space could not be checked', { cause })
    }
  }
  const timer = setInterval(check, intervalMs).unref()
  check()
}
