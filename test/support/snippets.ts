/** Runs the examples of the documentation: blocks that are marked `run`, against a service of their own. */
import { spawn } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { parse } from 'yaml'
import { packageDirectory } from '../../core/version.js'
import { startServer } from '../../server/server.js'
import { testSettings, type Answer, type Overrides } from './coffer.js'

/** Where examples say that the service is. */
const standardUrl = 'http://127.0.0.1:3000'
/** A line between the outputs of two blocks. */
const separator = '--- next block ---'

/** A block that is run: commands for `sh`, a program in `js`. */
export interface Example {
  readonly language: string
  readonly source: string
  /** What the last answer of the block looks like, where the page shows it. */
  readonly sample: unknown
}

/** What came of an example. */
export interface Ran extends Example {
  /** The lines that it printed. */
  readonly answers: readonly Answer[]
  /** Statuses of its calls, other than 200. */
  readonly statuses: readonly number[]
  /** Those that it announces: `# 201` behind a call. */
  readonly announced: readonly number[]
}

/** The examples of a page. */
export function examplesOf(path: string): Example[] {
  return blocksOf(path).flatMap(({ language, source }, index, blocks) => {
    if (language === 'json' || language === 'yaml') return []
    const next = blocks[index + 1]
    return [{ language, source, sample: next?.language === 'json' ? JSON.parse(next.source) : undefined }]
  })
}

/** The settings that the examples of a page take. */
export function settingsOf(path: string): Overrides {
  const texts = blocksOf(path).filter(({ language }) => language === 'yaml')
  return (parse(texts.map(({ source }) => source).join('\n')) ?? {}) as Overrides
}

function blocksOf(path: string): { language: string; source: string }[] {
  const page = readFileSync(join(packageDirectory, path), 'utf8')
  return Array.from(page.matchAll(/^```(\w+) run\n([\s\S]*?)^```$/gm), ([, language, source]) => ({
    language: language!,
    source: source!
  }))
}

/** Runs examples one after the other, as one person at one terminal would. */
export async function runExamples(
  t: Test,
  examples: readonly Example[],
  overrides: Overrides = {}
): Promise<Ran[]> {
  // Where programs find the package's libraries: the test command sees to that.
  const directory = t.testdir()
  copyFileSync(join(packageDirectory, 'docs', 'images', 'consent.png'), join(directory, 'picture.png'))
  const server = await startServer(testSettings(join(directory, 'data'), overrides))
  t.teardown(async () => await server.close())
  const commands = examples.map(({ language, source }, index) => {
    const local = source.replaceAll(standardUrl, server.url)
    if (language !== 'js') return local
    const file = join(directory, `example-${index}.mjs`)
    writeFileSync(file, local)
    return `node '${file}'\n`
  })
  // Each answer is a line on standard output, its status one on standard error.
  const reporting = `set -a\ncurl() { command curl --write-out '\\n%{stderr}%{http_code}\\n' "$@"; }\n`
  const { noted, printed } = await bash(
    reporting + commands.join(`echo '${separator}'; echo '${separator}' >&2\n`),
    examples.length,
    directory
  )
  return examples.map((example, index) => ({
    ...example,
    answers: printed[index]!.map(line => JSON.parse(line)),
    statuses: noted[index]!.map(Number).filter(status => status !== 200),
    announced: Array.from(example.source.matchAll(/ # (\d{3})$/gm), ([, status]) => Number(status))
  }))
}

/** Runs a script in bash; answers the lines on standard output and on standard error, block by block. */
async function bash(
  script: string,
  blocks: number,
  directory: string
): Promise<{ printed: string[][]; noted: string[][] }> {
  const shell = spawn('bash', ['-eu', '-c', script], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const outputs = await Promise.all([text(shell.stdout), text(shell.stderr)])
  const [printed, noted] = outputs.map(output =>
    output.split(`${separator}\n`).map(part => part.split('\n').filter(Boolean))
  ) as [string[][], string[][]]
  if (printed.length < blocks || noted.length < blocks)
    throw new Error(`Block ${printed.length} of ${blocks} ended early:\n${outputs[1]}`)
  return { printed, noted }
}

/** Whether an answer is as a page shows it: `…` stands for anything, at the end of a list for any number of items. */
export function fits(answer: unknown, sample: unknown): boolean {
  if (sample === '…') return answer !== undefined
  if (Array.isArray(sample)) {
    const isOpen = sample.at(-1) === '…'
    const items = isOpen ? sample.slice(0, -1) : sample
    return (
      Array.isArray(answer) &&
      (isOpen ? answer.length >= items.length : answer.length === items.length) &&
      items.every((item, index) => fits(answer[index], item))
    )
  }
  if (typeof sample !== 'object' || sample === null) return answer === sample
  return (
    typeof answer === 'object' &&
    answer !== null &&
    Object.entries(sample).every(([key, value]) => fits((answer as Record<string, unknown>)[key], value))
  )
}
