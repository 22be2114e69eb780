/** A process that runs files of tests, and what it says: lines of the Test Anything Protocol. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageDirectory } from '../../core/version.js'

/** For how long a file may run unless it says otherwise, in seconds: machines may be ten times as slow as the usual one. */
const limit = 600
/** Lines of a process that ended without a failed test, such as after a crash, that are printed. */
const lastLines = 60
/** Runs several files. */
const inTurn = join(packageDirectory, 'dist', 'test', 'support', 'in-turn.js')

/** What came of one file. */
export interface FileResult {
  readonly file: string
  readonly isPassed: boolean
  readonly seconds: number
  /** What it said of its failures. */
  readonly failures: readonly string[]
}

/** What came of a process: its files, and its assertions. */
export interface ProcessResult {
  readonly files: readonly FileResult[]
  /** Lines of its standard error. */
  readonly errors: readonly string[]
  readonly passed: number
  readonly failed: number
}

/**
 * Runs files in one process, which keeps its data below a folder. At its limit it reports what was going on and ends itself;
 * after `graceMs` more it is killed. With `tracesErrors`, failures name lines of the sources rather than of what was compiled,
 * and an error that nobody catches fails the test that it came from, and not only its file. That takes a fifth of the CPU: the
 * library looks up the caller of each assertion, and is told of each promise.
 */
export async function runInProcess(
  files: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
  { graceMs = 15_000, tracesErrors = true } = {}
): Promise<ProcessResult> {
  mkdirSync(folder, { recursive: true })
  const started = performance.now()
  const isTogether = files.length > 1 || !tracesErrors
  const options = tracesErrors ? ['--enable-source-maps'] : []
  const child = spawn(process.execPath, [...options, isTogether ? inTurn : files.join('')], {
    cwd: packageDirectory,
    env: {
      ...process.env,
      ...environment,
      ...(isTogether && { COFFER_TEST_FILES: files.join('\n') }),
      ...(!tracesErrors && { COFFER_TEST_UNTRACED: '1' }),
      TAP: '1',
      TAP_TIMEOUT: String(limit),
      // Where folders of tests are made.
      TAP_CWD: folder
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  const output = new Output(files, started)
  const reader = createInterface(child.stdout!).on('line', line => output.add(line))
  const errors = createInterface(child.stderr!).on('line', line => output.addError(line))
  const closed = Promise.all([once(reader, 'close'), once(errors, 'close')])
  const trouble = await endOf(child, graceMs)
  // Somebody whom it has started may still hold its pipes.
  const timer = setTimeout(() => {
    for (const open of [reader, errors]) open.close()
  }, graceMs)
  await closed
  clearTimeout(timer)
  return output.result(trouble)
}

/** How a process ended, in words; `undefined` if well. */
async function endOf(child: ChildProcess, graceMs: number): Promise<string | undefined> {
  let isKilled = false
  let timer: NodeJS.Timeout | undefined
  const allow = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => (isKilled = child.kill('SIGKILL')), ms + graceMs)
  }
  allow(limit * 1000)
  // The test library says so when a file sets a limit of its own.
  child.on('message', (message: { setTimeout?: unknown }) => {
    if (typeof message.setTimeout === 'number') allow(message.setTimeout)
  })
  return await new Promise(resolve => {
    child.once('error', error => resolve(`failed to start: ${error.message}`))
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      if (isKilled) resolve('killed: it did not end within its limit')
      else resolve(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`)
    })
  })
}

/** Reads what a process says, file by file. */
class Output {
  readonly #files: FileResult[] = []
  readonly #last: string[] = []
  readonly #errors: string[] = []
  #failures: string[] = []
  #isInFailure = false
  #isPassed = true
  #totals: string | undefined

  constructor(
    private readonly names: readonly string[],
    private startedMs: number
  ) {}

  add(line: string): void {
    const text = line.trim()
    if (text.startsWith('not ok') && !text.includes('# TODO')) {
      this.#isInFailure = true
      this.#isPassed = false
    }
    if (this.#isInFailure) this.#failures.push(line)
    if (text === '...' || (this.#isInFailure && text.startsWith('ok'))) this.#isInFailure = false
    this.#last.push(line)
    if (this.#last.length > lastLines) this.#last.shift()
    if (line.startsWith('# {')) this.#totals = line
    if (this.names.length > 1 && line === `# end of ${this.names[this.#files.length]}`) this.#endFile()
  }

  addError(line: string): void {
    this.#errors.push(line)
  }

  /** What came of everything, with how the process ended if not well. */
  result(trouble: string | undefined): ProcessResult {
    const failed = countOf(this.#totals, 'fail')
    const hasTests = countOf(this.#totals, 'total') > 0
    // With failures counted it has come to its end, and its exit code says no more.
    const said = failed > 0 ? undefined : (trouble ?? (hasTests ? undefined : 'ended without a test'))
    if (this.names.length === 1 && (said === undefined || !this.#isPassed)) this.#endFile()
    const hasFailures = !this.#isPassed || this.#files.some(({ isPassed }) => !isPassed)
    const isUnexplained = (said !== undefined || failed > 0) && !hasFailures
    if (this.#files.length < this.names.length || isUnexplained) this.#endBadly(said ?? 'ended badly')
    const isPassed = this.#files.every(file => file.isPassed)
    const passed = countOf(this.#totals, 'pass')
    const errors = this.#errors
    return { files: this.#files, errors, passed, failed: isPassed ? 0 : Math.max(1, failed) }
  }

  /** It ended without a failed test, or before the last of its files. */
  #endBadly(trouble: string): void {
    if (this.#isPassed) this.#failures.push(...this.#last)
    this.#failures.push(trouble)
    this.#isPassed = false
    this.#endFile()
    while (this.#files.length < this.names.length) {
      this.#failures.push('not run')
      this.#isPassed = false
      this.#endFile()
    }
  }

  #endFile(): void {
    const now = performance.now()
    const file = this.names[this.#files.length] ?? this.names.join(' ')
    const seconds = (now - this.startedMs) / 1000
    this.#files.push({ file, isPassed: this.#isPassed, seconds, failures: this.#failures })
    this.#failures = []
    this.#isPassed = true
    this.startedMs = now
  }
}

function countOf(totals: string | undefined, kind: string): number {
  return Number(new RegExp(`\\b${kind}: (\\d+)`).exec(totals ?? '')?.[1] ?? 0)
}
