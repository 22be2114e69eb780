/** A small disk for a test, which can be filled to the last byte, and emptied again. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

export class SmallDisk {
  private constructor(readonly directory: string) {}

  /** Mounts a disk of this many MB, unmounted by the teardown; returns the reason if that is impossible. */
  static mounted(t: Test, size: number): SmallDisk | string {
    const directory = mkdtempSync(join(tmpdir(), 'coffer-full-'))
    t.teardown(() => rmSync(directory, { recursive: true, force: true }))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m`, 'coffer-full', directory], {
        stdio: 'ignore'
      })
    } catch {
      return 'no disk can be mounted here'
    }
    t.teardown(() => void execFileSync('umount', ['-l', directory]))
    return new SmallDisk(directory)
  }

  /** Fills all free space, except some bytes. */
  fill(but = 0): void {
    const { bavail, bsize } = statfsSync(this.directory)
    const size = bavail * bsize - but
    try {
      if (size > 0) appendFileSync(this.#ballast, Buffer.alloc(size))
    } catch (error) {
      // Another process filled the disk first.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }

  /** Frees the space again. */
  empty(): void {
    rmSync(this.#ballast, { force: true })
  }

  get #ballast(): string {
    return join(this.directory, 'ballast')
  }
}
