/** What the data directory takes on the disk, by kind: measured in the background, at most every ten minutes. */
import { lstat, opendir, statfs } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** Sizes in bytes. */
export interface Space {
  /** When it was measured, in seconds. */
  readonly measured: number
  /** Of the disk. */
  readonly free: number
  readonly total: number
  /** Databases of accounts, their attachments, their previews, and everything else. */
  readonly documents: number
  readonly attachments: number
  readonly previews: number
  readonly others: number
}

const freshSeconds = 600

export class SpaceMeter {
  #space: Space | undefined
  #measuring: Promise<void> | undefined

  /** `now`: the time in seconds. */
  constructor(
    private readonly directory: string,
    private readonly now: () => number
  ) {}

  /** Returns what was measured last; `undefined` before the first time. An older value begins a new measurement. */
  latest(): Space | undefined {
    const isFresh = this.#space !== undefined && Math.abs(this.now() - this.#space.measured) < freshSeconds
    if (!isFresh) void this.measure()
    return this.#space
  }

  /** Measures now, or waits for the measurement under way. Does not reject: what cannot be read counts as nothing. */
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

  /** Adds the files below a folder, one folder at a time: nothing else has to wait. */
  async #add(folder: string, sums: Record<Kind, number>): Promise<void> {
    const opened = await opendir(folder).catch(() => undefined)
    if (!opened) return
    try {
      for await (const entry of opened) {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) await this.#add(path, sums)
        else if (entry.isFile()) sums[kindOf(relative(this.directory, path))] += await sizeOf(path)
      }
    } catch {
      // A folder that is removed meanwhile takes no space.
    }
  }
}

type Kind = 'documents' | 'attachments' | 'previews' | 'others'

/** The kind of a file by its path in the data directory: `users/{shards}/{account}/…`. */
function kindOf(path: string): Kind {
  const parts = path.split(sep)
  if (parts[0] !== 'users') return 'others'
  if (parts.includes('attachments')) return 'attachments'
  if (parts.includes('previews')) return 'previews'
  return parts.at(-1)!.startsWith('user.sqlite') ? 'documents' : 'others'
}

async function sizeOf(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined)
  return stats?.size ?? 0
}
