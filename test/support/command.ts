/** Runs the command `coffer`: in this process, which is fast, or in a separate one, if the test is about that. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { format } from 'node:util'
import { packageDirectory } from '../../core/version.js'
import { main } from '../../scripts/cli.js'

export interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** Input of a command other than its arguments. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Runs the command in a separate process until it ends. */
export async function commandProcess(
  args: readonly string[],
  { cwd, env, input = '' }: Surroundings & { readonly cwd?: string } = {}
): Promise<Ended> {
  const coffer = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')
  const child = spawn(process.execPath, [coffer, ...args], {
    env: { ...process.env, ...env },
    ...(cwd !== undefined && { cwd })
  })
  child.stdin.end(input)
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>
  ])
  return { code, output, errors }
}

/** The running command: it uses the input and output of the whole process. */
let running: Promise<unknown> = Promise.resolve()

/** Runs the command in this process until it ends. */
export async function command(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  const ended = running.then(async () => await runHere(args, surroundings))
  running = ended.catch(() => undefined)
  return await ended
}

/** Runs a command in this process, with its output, input and environment replaced meanwhile. */
async function runHere(args: readonly string[], { env = {}, input = '' }: Surroundings): Promise<Ended> {
  const { exitCode } = process
  const { error, log } = console
  const writeError = process.stderr.write
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!
  const before = Object.keys(env).map(name => [name, process.env[name]] as const)
  const said = { output: '', errors: '' }
  Object.assign(process.env, env)
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([input]) })
  Object.assign(console, {
    log: (...words: unknown[]) => void (said.output += `${format(...words)}\n`),
    error: (...words: unknown[]) => void (said.errors += `${format(...words)}\n`)
  })
  process.stderr.write = (words: string | Uint8Array): boolean => {
    said.errors += String(words)
    return true
  }
  try {
    process.exitCode = 0
    await main([process.execPath, 'coffer', ...args])
    return { code: process.exitCode, ...said }
  } finally {
    process.exitCode = exitCode
    Object.assign(console, { error, log })
    process.stderr.write = writeError
    Object.defineProperty(process, 'stdin', stdin)
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
}
