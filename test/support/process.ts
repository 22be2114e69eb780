/** The service as a separate process. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { packageDirectory } from '../../core/version.js'

export interface Running {
  readonly process: ChildProcess
  readonly url: string
  /** Log lines so far. */
  readonly lines: string[]
  /** Sends a signal; returns the exit status, and the milliseconds until then. */
  stop(signal: NodeJS.Signals): Promise<{ status: number | null; lastedMs: number }>
}

/** Starts a command that serves; resolves at the log line with the URL. */
export async function start(
  t: Test,
  dataDir: string | undefined,
  command: string,
  args: readonly string[],
  cwd = packageDirectory
): Promise<Running> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, COFFER_PORT: '0', ...(dataDir !== undefined && { COFFER_DATA_DIR: dataDir }) },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', status => reject(new Error(`exited with ${status}: ${lines.join('\n')}`)))
    createInterface({ input: child.stdout }).on('line', line => {
      lines.push(line)
      if (line.startsWith('{') && line.includes('"url"')) resolve(JSON.parse(line).url as string)
    })
  })
  const stop = async (signal: NodeJS.Signals): ReturnType<Running['stop']> => {
    const beginMs = performance.now()
    const exit = once(child, 'exit')
    child.kill(signal)
    const [status] = (await exit) as [number | null]
    return { status, lastedMs: performance.now() - beginMs }
  }
  return { process: child, url, lines, stop }
}
