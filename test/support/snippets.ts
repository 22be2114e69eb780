/** Runs the examples of the documentation: blocks marked `run`, against a separate service. */
import { spawn } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { parse } from 'yaml'
import { packageDirectory } from '../../core/version.js'
import { startServer } from '../../server/server.js'
import { testSettings, type Answer, type Overrides } from './coffer.js'

/** The URL of the service in examples. */
const standardUrl = 'http://127.0.0.1:3000'
/** A line that separates the outputs of two blocks. */
const separator = '--- next block ---'

/** A block to run: commands for `sh`, or a program in `js`. */
export interface Example {
  readonly language: string
  readonly source: string
  /** The last response of the block, if the page shows it. */
  readonly sample: unknown
}

/** The results of an example. */
export interface Ran extends Example {
  /** The lines that it printed, parsed. */
  readonly answers: readonly Answer[]
  /** Statuses of its calls other than 200. */
  readonly statuses: readonly number[]
  /** Statuses that it documents: `# 201` after a call. */
  readonly announced: readonly number[]
}

/** Returns the examples of a page. */
export function examplesOf(path: string): Example[] {
  return blocksOf(path).flatMap(({ language, source }, index, blocks) => {
    if (language === 'json' || language === 'yaml') return []
    const next = blocks[index + 1]
    return [{ language, source, sample: next?.language === 'json' ? JSON.parse(next.source) : undefined }]
  })
}

/** Returns the settings for the examples of a page. */
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

/** Runs examples in order, in one shell. */
export async function runExamples(
  t: Test,
  examples: readonly Example[],
  overrides: Overrides = {}
): Promise<Ran[]> {
  // A folder in which programs find the package's libraries: the test command ensures that.
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
  // Each response is a line on standard output, its status one on standard error.
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

/** Runs a script in bash; returns the lines on standard output and on standard error, by block. */
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

/** Returns whether a response matches a page: `…` matches anything, or any number of items at the end of a list. */
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
