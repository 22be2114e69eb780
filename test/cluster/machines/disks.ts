/**
 * Machines with disks of their own, whose power can be cut: file systems in files, of which there is afterwards what had been
 * written to the disk by then, and nothing that was only in memory.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { MachinePlace } from './machines.js'

/** Tells ext4 that its disk is gone, with all that it has not written: the journal is not flushed. (EXT4_IOC_SHUTDOWN) */
const shutdown =
  'open(my $folder, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); ioctl($folder, 0x8004587d, $how) or die $!'
/** As much as a disk may come to hold. */
const size = '4G'

/** Why there can be no such disks here; `undefined` if there can. */
export function whyNoDisks(): string | undefined {
  const root = mkdtempSync(join(tmpdir(), 'coffer-disk-'))
  const disk = new Disk(root, '16M')
  try {
    disk.mount()
    disk.cut()
    return undefined
  } catch (error) {
    return `Disks cannot be made here: ${(error as Error).message}`
  } finally {
    disk.unmount()
    rmSync(root, { recursive: true, force: true })
  }
}

class Disk {
  #image: string
  #generation = 0
  readonly folder: string

  constructor(
    private readonly root: string,
    bytes: string
  ) {
    this.#image = join(root, 'image-0')
    this.folder = join(root, 'mounted')
    mkdirSync(this.folder)
    run('truncate', '-s', bytes, this.#image)
    run('mkfs.ext4', '-q', '-F', this.#image)
  }

  mount(): void {
    run('mount', '-o', 'loop', this.#image, this.folder)
  }

  unmount(): void {
    // Whoever else sees it, as other namespaces do, may keep it for a while.
    spawnSync('umount', ['--lazy', this.folder])
  }

  /** Has it again as it is, also where the former one is still kept. */
  remount(): void {
    this.unmount()
    const former = this.#image
    this.#image = join(this.root, `image-${++this.#generation}`)
    run('cp', '--sparse=always', former, this.#image)
    rmSync(former)
    this.mount()
  }

  /** From now on nothing more is written. */
  cut(): void {
    run('perl', '-e', shutdown, this.folder)
  }
}

export class Disks {
  readonly places: readonly MachinePlace[]

  private constructor(private readonly disks: readonly Disk[]) {
    this.places = disks.map(({ folder }) => ({
      folder: join(folder, 'engine'),
      directory: join(folder, 'node')
    }))
  }

  /** Makes disks; the test's teardown removes them. */
  static make(t: Test, count: number): Disks {
    const root = mkdtempSync(join(tmpdir(), 'coffer-disks-'))
    const disks = Array.from({ length: count }, (_, index) => {
      const folder = join(root, String(index))
      mkdirSync(folder)
      return new Disk(folder, size)
    })
    t.teardown(() => {
      for (const disk of disks) disk.unmount()
      rmSync(root, { recursive: true, force: true })
    })
    for (const disk of disks) disk.mount()
    return new Disks(disks)
  }

  /** Cuts the power of all of them. Whoever uses them must have been stopped before, and be killed afterwards. */
  cut(): void {
    for (const disk of this.disks) disk.cut()
  }

  /** Has them again, as they are after that. Nobody may use them any more. */
  return(): void {
    for (const disk of this.disks) disk.remount()
  }
}

/** Runs a command. Throws what it says if it fails. */
function run(command: string, ...args: readonly string[]): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(`${command}: ${stderr.trim()}`)
}
