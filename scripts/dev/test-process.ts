/** Runs test files in a process, and parses its output: lines of the Test Anything Protocol. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageDirectory } from '../../core/version.js'

/** Default timeout of a file, in seconds: some machines are ten times as slow as usual. */
const timeoutSeconds = 600
/** Number of lines printed of a process that ended without a failed test, for example after a crash. */
const lastLines = 60
/** The program that runs several files. */
const multiFileRunner = join(packageDirectory, 'dist', 'test', 'support', 'in-turn.js')

/**
 * Options of Node for files that run untraced. Most code of a test runs too rarely to be worth optimizing: V8 waits for fifteen times as many
 * executions before it compiles a function again, which takes an eighth less CPU time. The build compiles the service for these options, too.
 */
export const untracedOptions = ['--interrupt-budget=2000000']

/** The result of a file. */
export interface FileResult {
  readonly file: string
  readonly isPassed: boolean
  readonly seconds: number
  /** CPU time of the process and those it has started, in seconds; `undefined` if unknown. */
  readonly cpuSeconds?: number | undefined
  /** Output about failures. */
  readonly failures: readonly string[]
}

/** The results of a process: of its files, and numbers of assertions. */
export interface ProcessResult {
  readonly files: readonly FileResult[]
  /** Lines of standard error. */
  readonly errors: readonly string[]
  readonly passed: number
  readonly failed: number
}

/**
 * Runs files in one process, which stores its data below a folder. After the timeout it reports what was running and exits; after
 * another `graceMs` it is killed. With `tracesErrors`, failures refer to lines of the sources instead of compiled files, and an
 * uncaught error fails the test that caused it instead of only its file. This takes a fifth of the CPU time: the library looks up
 * the caller of each assertion, and tracks each promise.
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
  const options = tracesErrors ? ['--enable-source-maps'] : untracedOptions
  const child = spawn(process.execPath, [...options, isTogether ? multiFileRunner : files.join('')], {
    cwd: packageDirectory,
    env: {
      ...process.env,
      ...environment,
      ...(isTogether && { COFFER_TEST_FILES: files.join('\n') }),
      ...(!tracesErrors && { COFFER_TEST_UNTRACED: '1' }),
      TAP: '1',
      TAP_TIMEOUT: String(timeoutSeconds),
      // The folder in which the library creates folders of tests.
      TAP_CWD: folder
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  const output = new OutputParser(files, started)
  const reader = createInterface(child.stdout!).on('line', line => output.add(line))
  const errors = createInterface(child.stderr!).on('line', line => output.addError(line))
  const closed = Promise.all([once(reader, 'close'), once(errors, 'close')])
  const failure = await waitForEnd(child, graceMs)
  // A process started by the tests may still have its pipes open.
  const timer = setTimeout(() => {
    for (const open of [reader, errors]) open.close()
  }, graceMs)
  await closed
  clearTimeout(timer)
  return output.result(failure)
}

/** Waits until a process ends. Returns how it failed; `undefined` on success. */
async function waitForEnd(child: ChildProcess, graceMs: number): Promise<string | undefined> {
  let isKilled = false
  let timer: NodeJS.Timeout | undefined
  const setLimit = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => (isKilled = child.kill('SIGKILL')), ms + graceMs)
  }
  setLimit(timeoutSeconds * 1000)
  // The test library sends this message when a file sets its own timeout.
  child.on('message', (message: { setTimeout?: unknown }) => {
    if (typeof message.setTimeout === 'number') setLimit(message.setTimeout)
  })
  return await new Promise(resolve => {
    child.once('error', error => resolve(`failed to start: ${error.message}`))
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      if (isKilled) resolve('killed after its timeout')
      else resolve(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`)
    })
  })
}

/** Parses the output of a process, file by file. */
class OutputParser {
  readonly #files: FileResult[] = []
  readonly #last: string[] = []
  /** Comments that tell how to repeat the file, such as its seed. */
  #settings: string[] = []
  readonly #errors: string[] = []
  #failures: string[] = []
  #isInFailure = false
  #isPassed = true
  #cpuSeconds: number | undefined
  #totals: string | undefined

  constructor(
    private readonly names: readonly string[],
    private startedMs: number
  ) {}

  /** Parses one line of the TAP output. */
  add(line: string): void {
    const text = line.trim()
    if (text.startsWith('not ok') && !text.includes('# TODO')) {
      this.#isInFailure = true
      this.#isPassed = false
    }
    if (text.startsWith('# COFFER_TEST_')) this.#settings.push(line)
    if (this.#isInFailure) this.#failures.push(line)
    if (text === '...' || (this.#isInFailure && text.startsWith('ok'))) this.#isInFailure = false
    this.#last.push(line)
    if (this.#last.length > lastLines) this.#last.shift()
    if (line.startsWith('# {')) this.#totals = line
    const [, ended, cpu] = /^# end of (.+), CPU ([\d.]*)$/.exec(line) ?? []
    if (ended === undefined || ended !== this.names[this.#files.length]) return
    this.#cpuSeconds = cpu === '' ? undefined : Number(cpu)
    if (this.names.length > 1) this.#endFile()
  }

  /** Adds a line of stderr. */
  addError(line: string): void {
    this.#errors.push(line)
  }

  /** Returns the results. `failure`: how the process failed, if it did. */
  result(failure: string | undefined): ProcessResult {
    const failed = parseCount(this.#totals, 'fail')
    const hasTests = parseCount(this.#totals, 'total') > 0
    // If failed assertions were counted, the process has completed, and its exit code adds nothing.
    const said = failed > 0 ? undefined : (failure ?? (hasTests ? undefined : 'ended without a test'))
    if (this.names.length === 1 && (said === undefined || !this.#isPassed)) this.#endFile()
    const hasFailures = !this.#isPassed || this.#files.some(({ isPassed }) => !isPassed)
    const isUnexplained = (said !== undefined || failed > 0) && !hasFailures
    if (this.#files.length < this.names.length || isUnexplained) this.#failUnfinished(said ?? 'ended badly')
    const isPassed = this.#files.every(file => file.isPassed)
    const passed = parseCount(this.#totals, 'pass')
    const errors = this.#errors
    return { files: this.#files, errors, passed, failed: isPassed ? 0 : Math.max(1, failed) }
  }

  /** Marks files as failed if the process ended without a failed test, or before its last file. */
  #failUnfinished(failure: string): void {
    if (this.#isPassed) this.#failures.push(...this.#last)
    this.#failures.push(failure)
    this.#isPassed = false
    this.#endFile()
    while (this.#files.length < this.names.length) {
      this.#failures.push('not run')
      this.#isPassed = false
      this.#endFile()
    }
  }

  /** Ends the current file, and adds its result. */
  #endFile(): void {
    const now = performance.now()
    const file = this.names[this.#files.length] ?? this.names.join(' ')
    const seconds = (now - this.startedMs) / 1000
    this.#files.push({
      file,
      isPassed: this.#isPassed,
      seconds,
      cpuSeconds: this.#cpuSeconds,
      failures: this.#isPassed ? this.#failures : [...this.#settings, ...this.#failures]
    })
    this.#failures = []
    this.#settings = []
    this.#cpuSeconds = undefined
    this.#isPassed = true
    this.startedMs = now
  }
}

function parseCount(totals: string | undefined, kind: string): number {
  return Number(new RegExp(`\\b${kind}: (\\d+)`).exec(totals ?? '')?.[1] ?? 0)
}
