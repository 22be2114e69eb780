/**
 * The test command: checks imports, lint and format, and runs all tests, or the files named. Prints a last line
 * `N passed, N failed`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { packageDirectory } from '../../core/version.js'
import { runTasks } from './run-tasks.js'
import { ensureChromium } from './chromium.js'
import { runInProcess, type FileResult } from './test-process.js'

const bin = join(packageDirectory, 'node_modules', '.bin')
/** Linux's in-memory file system, and the free space required there, in bytes. */
const memory = '/dev/shm'
const minFreeBytes = 4 * 1024 ** 3
/** Kinds of files. */
type Kind = 'alone' | 'browser' | 'long' | 'short'
/** Maximum number of files of a kind per process. */
const largestGroups: Readonly<Record<Kind, number>> = { alone: 1, long: 14, browser: 18, short: 60 }
/** Number of files listed that are slowest, and of those that take most CPU time: they share the processors. */
const [slowest, costliest] = [10, 50]
/** Maximum number of failed processes whose files are run again. If more fail, something is broken. */
const maxRepeated = 5

/** A process with failed files, and the folder of its data. */
interface Failure {
  readonly files: readonly FileResult[]
  readonly failed: number
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

let passed = 0
let failed = 0
const results: FileResult[] = []
const troubled: Failure[] = []

/** Runs a check that passes or fails as a whole. Prints its output once it has ended. */
async function check(name: string, command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd: packageDirectory, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close') as Promise<[number | null]>
  const said = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await ended
  process.stdout.write(said.join(''))
  console.log(`${status === 0 ? 'ok' : 'NOT OK'} - ${name}`)
  if (status === 0) passed++
  else failed++
}

/** Returns the checks as tasks. */
function createChecks(): (() => Promise<void>)[] {
  return [
    () => check('imports', process.execPath, [join('dist', 'scripts', 'dev', 'check-imports.js')]),
    () => check('format', join(bin, 'oxfmt'), ['--check']),
    () => check('lint', join(bin, 'oxlint'), ['--type-aware', '--deny-warnings'])
  ]
}

/**
 * Builds the test library with its configured plugins. Its default TypeScript plugin needs a different compiler, so a build with
 * that plugin is replaced.
 */
function buildLibrary(): void {
  const built = join(packageDirectory, 'node_modules/@tapjs/test/test-built/dist/esm/index.js')
  if (existsSync(built) && !readFileSync(built, 'utf8').includes('@tapjs/typescript')) return
  spawnSync(join(bin, 'tap'), ['build'], { cwd: packageDirectory, stdio: 'ignore' })
}

/** Returns all test files. */
function listTestFiles(): string[] {
  const names = readdirSync(join(packageDirectory, 'dist', 'test'), { recursive: true, encoding: 'utf8' })
  return names
    .filter(name => name.endsWith('.test.js'))
    .toSorted()
    .map(name => join('dist', 'test', name))
}

/**
 * Divides files among processes. Files that take long come first, so that no processor waits for them at the end. These
 * files spend much time waiting, so files that keep a browser busy run in between.
 */
function groupFiles(files: readonly string[]): string[][] {
  const kinds = new Map(files.map(file => [file, getKind(file)]))
  const createGroups = (kind: Kind): string[][] => {
    const own = files.filter(file => kinds.get(file) === kind)
    const size = largestGroups[kind]
    return Array.from({ length: Math.ceil(own.length / size) }, (_, at) =>
      own.slice(at * size, (at + 1) * size)
    )
  }
  return [
    ...createGroups('alone'),
    ...interleave(createGroups('long'), createGroups('browser')),
    ...createGroups('short')
  ]
}

/** Interleaves two lists. */
function interleave<T>(first: readonly T[], second: readonly T[]): T[] {
  const turns = Array.from({ length: Math.max(first.length, second.length) }, (_, at) => at)
  return turns.flatMap(at => [...first.slice(at, at + 1), ...second.slice(at, at + 1)])
}

/**
 * Returns which files can share a process with a file: other files with a browser, other files with long timeouts, or
 * no files if it changes state of its process or measures its memory.
 */
function getKind(file: string): Kind {
  const source = readFileSync(join(packageDirectory, file), 'utf8')
  if (/^t\.(?!(?:test|setTimeout|comment)\()|process\.memoryUsage\(|\bmeasureHeap\(/m.test(source))
    return 'alone'
  if (/support\/(?:app|browser|pages)\.js'/.test(source)) return 'browser'
  return /^(?:t\.setTimeout\(|(?:t\.)?test\(.*\btimeout:)/m.test(source) ? 'long' : 'short'
}

/** Runs files in a process. Prints one line for each, and the output of failures. Returns the number of failed tests. */
async function run(
  files: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
  tracesErrors: boolean
): Promise<number> {
  const result = await runInProcess(files, folder, environment, { tracesErrors })
  for (const line of result.errors) console.error(line)
  for (const { failures, file, isPassed, seconds } of result.files) {
    for (const line of failures) console.log(line)
    const company = isPassed || files.length === 1 ? '' : `, in one process: ${files.join(' ')}`
    console.log(`${isPassed ? 'ok' : 'not ok'} - ${file} # ${seconds.toFixed(1)} s${company}`)
  }
  results.push(...result.files)
  passed += result.passed
  failed += result.failed
  const failedFiles = result.files.filter(({ isPassed }) => !isPassed)
  if (result.failed > 0) troubled.push({ files: failedFiles, failed: result.failed, folder, environment })
  return result.failed
}

/**
 * Runs failed files again, each alone and with the seed that it printed, after all others: in a browser, a click may lose a race on a
 * busy machine. Files that pass now are reported as flaky; files that fail again have failed.
 */
async function runAgain(): Promise<void> {
  if (troubled.length > maxRepeated) return
  const flaky: string[] = []
  for (const { environment, files, ...first } of troubled.splice(0)) {
    failed -= first.failed
    for (const [index, { failures, file }] of files.entries()) {
      const again = `${first.folder}-again-${index}`
      const seed = /# COFFER_TEST_SEED=(\d+)/.exec(failures.join('\n'))?.[1]
      const same = seed === undefined ? environment : { ...environment, COFFER_TEST_SEED: seed }
      const stillFailed = await run([file], again, same, true)
      if (stillFailed === 0) flaky.push(file)
    }
  }
  for (const file of flaky) console.log(`FLAKY - ${file} failed, and passed when it was run again`)
}

/**
 * Creates the folder of the tests' data: in memory, where syncs take no time, unless there is too little space or TMPDIR is set. The
 * long form uses the disk.
 */
function createDataFolder(): string {
  const name = 'coffer-tests-'
  if (process.env['TMPDIR'] !== undefined || isLong) return mkdtempSync(join(tmpdir(), name))
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize >= minFreeBytes) return mkdtempSync(join(memory, name))
  } catch {
    // There is no such file system.
  }
  return mkdtempSync(join(tmpdir(), name))
}

const isLong = process.env['COFFER_TEST_LONG'] !== undefined && process.env['COFFER_TEST_LONG'] !== ''
const named = process.argv.slice(2).filter(word => word !== '--together')
const isWhole = named.length === 0
const files = isWhole ? listTestFiles() : named
const isShared = isWhole ? !isLong : process.argv.includes('--together')
const groups = isShared ? groupFiles(files) : files.map(file => [file])

buildLibrary()
console.log(ensureChromium())
const folder = createDataFolder()
// Programs that tests create there find libraries as they do below the package.
symlinkSync(join(packageDirectory, 'node_modules'), join(folder, 'node_modules'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Returns all tests as tasks. */
const createTests = (environment: NodeJS.ProcessEnv): (() => Promise<void>)[] =>
  groups.map((group, index) => async () => {
    // Failures of a full run are repeated, and only then traced to their source.
    await run(group, join(folder, String(index)), { TMPDIR: folder, ...environment }, !isWhole)
  })

await runTasks([...(isWhole ? createChecks() : []), ...createTests({})])
// The long form runs everything again with worker threads: callers must not notice a difference.
if (isLong && isWhole) await runTasks(createTests({ COFFER_TEST_LONG: undefined, COFFER_TEST_WORKERS: '2' }))
if (isWhole) await runAgain()
const measured = results.flatMap(({ cpuSeconds, file }) =>
  cpuSeconds === undefined ? [] : { cpuSeconds, file }
)
if (measured.length > 0) {
  const sum = measured.reduce((before, { cpuSeconds }) => before + cpuSeconds, 0)
  console.log(`CPU time: ${sum.toFixed(0)} s, most of it for:`)
}
for (const { cpuSeconds, file } of measured
  .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
  .slice(0, costliest))
  console.log(`  ${cpuSeconds.toFixed(1)} s ${file}`)
console.log('slowest:')
for (const { file, seconds } of results.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowest))
  console.log(`  ${seconds.toFixed(1)} s ${file}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
