/** The server under test: the built service in its own process. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../test/support/free-ports.js'

const program = fileURLToPath(new URL('../../coffer.cjs', import.meta.url))
/** Settings of the C library's allocator, as in `npm start`. (docs/decisions/0005-the-process-keeps-freed-memory.md) */
const allocatorSettings = { MALLOC_TRIM_THRESHOLD_: '4194304', MALLOC_MMAP_THRESHOLD_: '1048576' }
/** Maximum time until the first response. */
const startTimeoutMs = 60_000

export class ServiceProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    /** From the start of the process to its first response, in seconds. */
    readonly startSeconds: number
  ) {}

  /**
   * Starts the server on a data directory and waits for its first response. Throws an error if it exits or
   * does not respond in time.
   */
  static async start(
    dataDir: string,
    nodeOptions: readonly string[] = [],
    settings: Readonly<Record<string, string>> = {}
  ): Promise<ServiceProcess> {
    const port = await freePort()
    const startMs = performance.now()
    const child = spawn(process.execPath, [...nodeOptions, program, 'serve'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        ...allocatorSettings,
        COFFER_PORT: String(port),
        COFFER_DATA_DIR: dataDir,
        COFFER_LOG_LEVEL: 'warn',
        ...settings
      }
    })
    try {
      while (!(await isResponding(port))) {
        if (child.exitCode !== null)
          throw new Error(`The server exited with code ${child.exitCode} during startup`)
        if (performance.now() - startMs > startTimeoutMs) throw new Error('The server does not respond')
        await wait(2)
      }
    } catch (error) {
      child.kill()
      throw error
    }
    return new ServiceProcess(child, port, (performance.now() - startMs) / 1000)
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Ends the service as an operator does (SIGTERM). Resolves once its process has ended. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return
    const exit = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    await exit
  }
}

function isResponding(port: number): Promise<boolean> {
  return new Promise(resolve => {
    get({ port, host: '127.0.0.1', path: '/', agent: false }, response => {
      response.resume().on('end', () => resolve(response.statusCode === 200))
    }).on('error', () => resolve(false))
  })
}
