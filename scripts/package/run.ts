/** Runs the tools that build packages. */
import { spawnSync } from 'node:child_process'

/** Runs a tool. Returns its output. Throws with its output if it fails. */
export function runTool(tool: string, args: readonly string[], cwd = process.cwd()): string {
  const { error, status, stderr, stdout } = spawnSync(tool, args, { cwd, encoding: 'utf8' })
  if (error) throw new Error(`${tool} cannot be run: ${error.message}`)
  if (status !== 0) throw new Error(`${tool} failed with ${status}: ${stderr}${stdout}`)
  return stdout
}
