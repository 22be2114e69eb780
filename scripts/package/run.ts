/** Runs the tools that packages are made with. */
import { spawnSync } from 'node:child_process'

/** Runs a tool to its end. Returns what it wrote; throws with what it said if it fails. */
export function run(tool: string, args: readonly string[], cwd = process.cwd()): string {
  const { error, status, stderr, stdout } = spawnSync(tool, args, { cwd, encoding: 'utf8' })
  if (error) throw new Error(`${tool} cannot be run: ${error.message}`)
  if (status !== 0) throw new Error(`${tool} failed with ${status}: ${stderr}${stdout}`)
  return stdout
}
