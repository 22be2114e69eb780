/** The built server as a process that a test can limit, watch and end. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { packageDirectory } from '../../core/version.js'

export const program = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')

/** How a process ended, and how long that took. */
export interface End {
  readonly status: number | null
  readonly lastedMs: number
}

export class FaultyServer {
  private constructor(
    readonly url: string,
    readonly child: ChildProcess,
    /** Its output so far, line by line. */
    readonly said: string[]
  ) {}

  /** Starts it with further flags; `limits` is a shell prefix such as `ulimit -n 100;`. */
  static async start(
    t: Test,
    dataDir: string,
    flags: readonly string[] = [],
    limits = ''
  ): Promise<FaultyServer> {
    const args = ['serve', '--port=0', `--dataDir=${dataDir}`, ...flags]
    const child = spawn('sh', ['-c', `${limits} exec "$0" "$@"`, process.execPath, program, ...args], {
      cwd: packageDirectory,
      stdio: ['ignore', 'pipe', 'inherit']
    })
    t.teardown(() => child.kill('SIGKILL'))
    const said: string[] = []
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', status => reject(new Error(`exited with ${status}: ${said.join('\n')}`)))
      createInterface({ input: child.stdout }).on('line', line => {
        said.push(line)
        const found = /"url":"([^"]+)"/.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    return new FaultyServer(url, child, said)
  }

  /** Resolves when it has ended after a signal. */
  async end(signal: NodeJS.Signals): Promise<End> {
    const begunMs = performance.now()
    const exit = once(this.child, 'exit')
    this.child.kill(signal)
    const [status] = (await exit) as [number | null]
    return { status, lastedMs: performance.now() - begunMs }
  }
}
