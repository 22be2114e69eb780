/** The test command: imports, lint, format, then all tests. Ends with a line `N passed, N failed`. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageDirectory } from '../../core/version.js'
import { provideChromium } from './chromium.js'

const bin = join(packageDirectory, 'node_modules', '.bin')
let passed = 0
let failed = 0

/** Runs a check that passes or fails as a whole. */
function check(name: string, command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: packageDirectory, stdio: 'inherit' })
  const isPassed = status === 0
  console.log(`${isPassed ? 'ok' : 'NOT OK'} - ${name}`)
  if (isPassed) passed++
  else failed++
}

/**
 * The test runner compiles itself again for its set of plugins. In the run that does so tests fail, so it is done before;
 * it reads TypeScript unless told otherwise, which needs a compiler that ours is not.
 */
function buildRunner(): void {
  const built = join(packageDirectory, 'node_modules/@tapjs/test/test-built/dist/esm/index.js')
  if (existsSync(built) && !readFileSync(built, 'utf8').includes('@tapjs/typescript')) return
  spawnSync(join(bin, 'tap'), ['build'], { cwd: packageDirectory, stdio: 'ignore' })
}

/** Runs the tests; shows each file's line, and of failures everything. */
async function runTests(files: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<void> {
  const args = ['--reporter=tap', ...(files.length > 0 ? files : ['dist/test/**/*.test.js'])]
  const runner = spawn(join(bin, 'tap'), args, {
    cwd: packageDirectory,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const ended = new Promise<number>(resolve => runner.once('close', code => resolve(code ?? 1)))
  let isInFailure = false
  let counted = 0
  for await (const line of createInterface({ input: runner.stdout })) {
    const text = line.trim()
    if (text.startsWith('not ok')) isInFailure = true
    if (isInFailure || line.startsWith('ok ')) console.log(line)
    if (text === '...' || (isInFailure && text.startsWith('ok'))) isInFailure = false
    const totals = /^# \{ total: \d+.*\}$/.exec(line)?.[0]
    if (totals === undefined) continue
    counted = countOf(totals, 'fail')
    passed += countOf(totals, 'pass')
    failed += counted
  }
  // A runner that fails without a failed test has lost one.
  if ((await ended) !== 0 && counted === 0) failed++
}

function countOf(totals: string, kind: string): number {
  return Number(new RegExp(`${kind}: (\\d+)`).exec(totals)?.[1] ?? 0)
}

const files = process.argv.slice(2)
if (files.length === 0) {
  check('imports', process.execPath, [join(packageDirectory, 'dist', 'scripts', 'dev', 'check-imports.js')])
  check('lint', join(bin, 'oxlint'), ['--type-aware', '--deny-warnings'])
  check('format', join(bin, 'prettier'), ['--check', '--log-level=warn', '.'])
}
buildRunner()
console.log(provideChromium())
await runTests(files)
// What callers see is the same where threads share the users' files.
if (process.env['COFFER_TEST_LONG'] && files.length === 0)
  await runTests([], { COFFER_TEST_LONG: '', COFFER_TEST_WORKERS: '2' })
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
