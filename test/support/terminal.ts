/** Runs a command in a pseudo-terminal, by `script` of util-linux. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import type { Test } from 'tap'
import { until } from './socket.js'

/** Options of a test that needs a terminal: the reason to skip it, if there is none. */
export function terminalNeeded(): { skip?: string } {
  try {
    return /util-linux/.test(execFileSync('script', ['--version'], { encoding: 'utf8' }))
      ? {}
      : { skip: none }
  } catch {
    return { skip: none }
  }
}

const none = 'there is no pseudo terminal here (the tool "script" of util-linux)'

export interface Terminal {
  readonly process: ChildProcess
  /** Returns the output so far. */
  readonly shown: () => string
  /** Waits until the output contains something. */
  shows(words: string | RegExp): Promise<void>
  type(text: string): void
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
}

/** Starts the command; the test's teardown stops it. */
export function onTerminal(
  t: Test,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {}
): Terminal {
  const quoted = args.map(arg => `'${arg.replaceAll("'", "'\\''")}'`).join(' ')
  const child = spawn('script', ['-qefc', `exec ${quoted}`, '/dev/null'], {
    env: { ...process.env, TERM: 'dumb', ...env }
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += String(chunk)))
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return {
    process: child,
    shown: () => text.replaceAll('\r', ''),
    shows: async words =>
      await until(() => (typeof words === 'string' ? text.includes(words) : words.test(text)), String(words)),
    type: words => void child.stdin.write(words),
    ended
  }
}
