/**
 * Machines with separate disks whose power can be cut: file systems in image files, which afterwards contain what had
 * been written to the disk, and nothing that was only in memory.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { MachinePlace } from './machines.js'

/** Makes ext4 behave as if its disk were gone, without flushing the journal. (EXT4_IOC_SHUTDOWN) */
const shutdown =
  'open(my $folder, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); ioctl($folder, 0x8004587d, $how) or die $!'
/** Capacity of a disk. */
const size = '4G'

/** Returns why such disks are unavailable here; `undefined` if they are available. */
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
    // Other mount namespaces may keep it mounted for a while.
    spawnSync('umount', ['--lazy', this.folder])
  }

  /** Mounts a copy of the image, even if the previous mount is still in use. */
  remount(): void {
    this.unmount()
    const former = this.#image
    this.#image = join(this.root, `image-${++this.#generation}`)
    run('cp', '--sparse=always', former, this.#image)
    rmSync(former)
    this.mount()
  }

  /** Stops all further writes. */
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

  /** Creates disks; the test's teardown removes them. */
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

  /** Cuts the power of all disks. Processes that use them must be frozen before and killed afterwards. */
  cut(): void {
    for (const disk of this.disks) disk.cut()
  }

  /** Mounts the disks as the power cut left them. No process may use them any more. */
  return(): void {
    for (const disk of this.disks) disk.remount()
  }
}

/** Runs a command. Throws its output if it fails. */
function run(command: string, ...args: readonly string[]): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(`${command}: ${stderr.trim()}`)
}
