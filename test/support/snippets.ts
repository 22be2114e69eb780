/** Runs the examples of the documentation: blocks marked `run`, against a separate service. */
import { spawn } from 'node:child_process'
import { appendFileSync, copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
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
/** Prints it between two blocks. */
const between = `echo '${separator}'; echo '${separator}' >&2\n`

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

/** The state after some commands: the data of the service, and a script that defines the variables and functions of the shell. */
export interface Beginning {
  readonly dataDir: string
  readonly script: string
}

/** Runs commands for `sh` in order, in one shell, so that other examples can continue from there. Throws if one fails. */
export async function runBeginning(t: Test, examples: readonly Example[]): Promise<Beginning> {
  const directory = t.testdir()
  const dataDir = join(directory, 'data')
  const server = await startServer(testSettings(dataDir))
  const commands = examples.map(({ source }) => source).join('')
  const namesIn = (pattern: RegExp): string =>
    Array.from(commands.matchAll(pattern), ([, name]) => name).join(' ')
  const definitions = `declare -p ${namesIn(/^([A-Z]+)=/gm)}; declare -f ${namesIn(/^(\w+)\(\) \{/gm)}`
  const script = `set -a\n${commands.replaceAll(standardUrl, server.url)}${between}${definitions}`
  try {
    const { printed } = await bash(script, 2, directory)
    return { dataDir, script: `${printed[1]!.join('\n').replaceAll(server.url, standardUrl)}\n` }
  } finally {
    await server.close()
  }
}

/** Runs examples in order, in one shell: from the beginning, or after others. */
export async function runExamples(
  t: Test,
  examples: readonly Example[],
  overrides: Overrides = {},
  beginning?: Beginning
): Promise<Ran[]> {
  // A folder in which programs find the package's libraries: the test command ensures that.
  const directory = t.testdir()
  copyFileSync(join(packageDirectory, 'docs', 'images', 'consent.png'), join(directory, 'picture.png'))
  const dataDir = join(directory, 'data')
  if (beginning) cpSync(beginning.dataDir, dataDir, { recursive: true })
  const server = await startServer(testSettings(dataDir, overrides))
  t.teardown(async () => await server.close())
  const commands: string[] = []
  for (const [index, { language, source }] of examples.entries()) {
    const local = source.replaceAll(standardUrl, server.url)
    if (language !== 'js') {
      commands.push(local)
      continue
    }
    writeFileSync(join(directory, `example-${index}.mjs`), local)
    // Programs that follow each other share a process: a start takes longer than most of them.
    const follows = examples[index - 1]?.language === 'js'
    const before = follows ? `console.log('${separator}')\nconsole.error('${separator}')\n` : ''
    if (!follows) commands.push(`node all-${commands.length}.mjs\n`)
    const whole = join(directory, `all-${commands.length - 1}.mjs`)
    appendFileSync(whole, `${before}await import('./example-${index}.mjs')\n`)
  }
  // Each response is a line on standard output, its status one on standard error.
  const reporting = `set -a\ncurl() { command curl --write-out '\\n%{stderr}%{http_code}\\n' "$@"; }\n`
  const definitions = beginning?.script.replaceAll(standardUrl, server.url) ?? ''
  const { noted, printed } = await bash(
    reporting + definitions + commands.join(between),
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
