/** A system with nothing on it: a folder with the C library and single programs of the machine, entered by `chroot`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'

/** Not in memory: files there may often not be run. */
const place = '/var/tmp'

/** Enters a root folder ($0) with the system's view of its processes, seen by nobody else. */
const entering = 'mount --bind /proc "$0/proc" && exec chroot "$@"'

/** Why there can be none; `false` if there can. */
export const noBareSystem: string | false = problem()

function problem(): string | false {
  if (process.platform !== 'linux') return 'only Linux has such folders'
  if (process.getuid?.() !== 0) return 'only root may enter another root folder'
  const folder = mkdtempSync(join(place, 'coffer-bare-'))
  mkdirSync(join(folder, 'proc'))
  const made = spawnSync('mknod', ['-m', '666', join(folder, 'null'), 'c', '1', '3'])
  const mounted = spawnSync('unshare', ['--mount', 'sh', '-c', entering, folder, '/', 'true'])
  rmSync(folder, { recursive: true, force: true })
  return made.status === 0 && mounted.status === 0 ? false : 'this machine lets nobody make such a system'
}

export class BareSystem {
  private constructor(readonly root: string) {}

  /** Makes one that lasts as long as the test. Without programs it holds libraries alone: those that Node is linked to. */
  static make(t: Test, ...programs: string[]): BareSystem {
    const system = new BareSystem(mkdtempSync(join(place, 'coffer-bare-')))
    t.teardown(() => rmSync(system.root, { recursive: true, force: true }))
    chmodSync(system.root, 0o755)
    for (const name of ['dev', 'etc', 'proc', 'root', 'tmp']) mkdirSync(join(system.root, name))
    chmodSync(system.at('/tmp'), 0o1777)
    execFileSync('mknod', ['-m', '666', system.at('/dev/null'), 'c', '1', '3'])
    writeFileSync(system.at('/etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
    writeFileSync(system.at('/etc/group'), 'root:x:0:\n')
    system.addLibraries(process.execPath)
    system.#completeLibraries()
    for (const program of programs) system.addProgram(program)
    return system
  }

  /** The place of one of its paths on this machine. */
  at(path: string): string {
    return join(this.root, path)
  }

  /** Copies a file into it. */
  add(source: string, path: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    copyFileSync(source, this.at(path))
  }

  /** The arguments of `unshare` that start a program in it, as a user of its own (by default root). */
  args(program: readonly string[], user?: string): string[] {
    const by = user === undefined ? [] : [`--userspec=${user}`]
    return ['--mount', 'sh', '-c', entering, this.root, ...by, this.root, ...program]
  }

  /** Runs a program in it to its end, with no more in its surroundings than is given. */
  run(
    program: readonly string[],
    env: Readonly<Record<string, string>> = {},
    user?: string
  ): { status: number | null; output: string } {
    const { status, stderr, stdout } = spawnSync('unshare', this.args(program, user), {
      encoding: 'utf8',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin', ...env }
    })
    return { status, output: stdout + stderr }
  }

  /** Copies a program of this machine to where it is here, with its libraries. */
  addProgram(name: string): void {
    const path = name.startsWith('/') ? name : execFileSync('which', [name], { encoding: 'utf8' }).trim()
    this.add(path, path)
    this.addLibraries(path)
  }

  /** Adds the parts of the C library that Node is not linked to: they come with the others everywhere. */
  #completeLibraries(): void {
    const { stdout } = spawnSync('ldd', [process.execPath], { encoding: 'utf8' })
    const [library = ''] = /(?<= )\/\S+\/libc\.so\.6/.exec(stdout) ?? []
    for (const name of ['librt.so.1', 'libresolv.so.2', 'libnss_files.so.2', 'libnss_dns.so.2']) {
      const path = join(dirname(library), name)
      if (existsSync(path)) this.add(path, path)
    }
  }

  /** Copies the libraries that a program or library is linked to. */
  addLibraries(path: string): void {
    const { stdout } = spawnSync('ldd', [path], { encoding: 'utf8' })
    for (const [library = ''] of stdout.matchAll(/(?<=^|\s)\/\S+/g))
      if (!existsSync(this.at(library))) this.add(library, library)
  }
}
