/** A bare system: a folder with the C library and selected programs of the machine, entered by `chroot`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'

/** Not a file system in memory: programs on one often may not run. */
const place = '/var/tmp'

/** Enters a root folder ($0) with the system's `/proc`, mounted for this process only. */
const entering = 'mount --bind /proc "$0/proc" && exec chroot "$@"'

/** Why a bare system is impossible; `false` if it is possible. */
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

  /** Creates a system for the duration of the test. Without programs it has only the libraries that Node links to. */
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

  /** Returns the location of one of its paths on this machine. */
  at(path: string): string {
    return join(this.root, path)
  }

  /** Copies a file into it. */
  add(source: string, path: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    copyFileSync(source, this.at(path))
  }

  /** Returns the arguments of `unshare` that run a program in it, by default as root. */
  args(program: readonly string[], user?: string): string[] {
    const by = user === undefined ? [] : [`--userspec=${user}`]
    return ['--mount', 'sh', '-c', entering, this.root, ...by, this.root, ...program]
  }

  /** Runs a program in it until it ends, with no environment variables but `PATH` and the given ones. */
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

  /** Copies a program of this machine to the same path, with its libraries. */
  addProgram(name: string): void {
    const path = name.startsWith('/') ? name : execFileSync('which', [name], { encoding: 'utf8' }).trim()
    this.add(path, path)
    this.addLibraries(path)
  }

  /** Adds the parts of the C library that Node does not link to: elsewhere they come with the others. */
  #completeLibraries(): void {
    const { stdout } = spawnSync('ldd', [process.execPath], { encoding: 'utf8' })
    const [library = ''] = /(?<= )\/\S+\/libc\.so\.6/.exec(stdout) ?? []
    for (const name of ['librt.so.1', 'libresolv.so.2', 'libnss_files.so.2', 'libnss_dns.so.2']) {
      const path = join(dirname(library), name)
      if (existsSync(path)) this.add(path, path)
    }
  }

  /** Copies the libraries to which a program or library links. */
  addLibraries(path: string): void {
    const { stdout } = spawnSync('ldd', [path], { encoding: 'utf8' })
    for (const [library = ''] of stdout.matchAll(/(?<=^|\s)\/\S+/g))
      if (!existsSync(this.at(library))) this.add(library, library)
  }
}
