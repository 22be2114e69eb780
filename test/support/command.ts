/** Runs the command `coffer` as a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { packageDirectory } from '../../core/version.js'

export interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** What a command is given beside its arguments. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
}

/** Runs it to its end. */
export async function command(
  args: readonly string[],
  { cwd, env, input = '' }: Surroundings = {}
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
