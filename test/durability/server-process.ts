/** The built server in a separate process, on a data directory that outlives it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { dirname, join } from 'node:path'

const program = join(import.meta.dirname, '..', '..', 'scripts', 'coffer.cjs')

export class ServerProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess
  ) {}

  /** Starts it with further flags; resolves once it listens. Rejects with its output if it ends before that. */
  static async start(
    dataDir: string,
    flags: readonly string[] = [],
    environment: NodeJS.ProcessEnv = {}
  ): Promise<ServerProcess> {
    const args = [program, 'serve', '--port', '0', '--dataDir', dataDir, ...flags]
    const child = spawn(process.execPath, args, {
      cwd: dirname(dataDir),
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit']
    })
    const said: string[] = []
    for await (const line of createInterface(child.stdout)) {
      said.push(line)
      const url = /"url":"([^"]+)"/.exec(line)?.[1]
      if (url) {
        child.stdout.resume()
        return new ServerProcess(url, child)
      }
    }
    throw new Error(`The server did not start: ${said.join('\n')}`)
  }

  get pid(): number {
    return this.child.pid!
  }

  /** Kills the process, like a crash: nothing can complete. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const exited = once(this.child, 'exit')
    this.child.kill(signal)
    await exited
  }
}
