/**
 * Runs test files from the sources, and again after each change: `npm run test:watch -- test/core/json/reader.test.ts`. Only changed
 * files are transpiled, without checking types. `dist` is then a development build, which the next `npm test` or `npm start`
 * replaces. With `--once`, the tests run a single time; without tests, files are only transpiled.
 */
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { transformWithOxc } from 'vite'

/** Time without changes after which the tests run. */
const quietMs = 50

const root = process.cwd()
const dist = join(root, 'dist')
const folders = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).include
const isOnce = process.argv.includes('--once')
const tests = process.argv.slice(2).filter(word => word !== '--once')
const isSource = name => name.endsWith('.ts') && !name.endsWith('.d.ts')
const toOutput = source => join(dist, relative(root, source).replace(/\.ts$/, '.js'))

/** Transpiles a file. Prints syntax errors. Returns false if there were any. */
async function transpile(source) {
  const output = toOutput(source)
  try {
    const { code, map } = await transformWithOxc(readFileSync(source, 'utf8'), source, {
      target: 'es2023',
      sourcemap: true
    })
    mkdirSync(dirname(output), { recursive: true })
    const sources = [relative(dirname(output), source)]
    writeFileSync(`${output}.map`, JSON.stringify({ ...map, sources, sourcesContent: undefined }))
    writeFileSync(output, `${code}\n//# sourceMappingURL=${output.slice(dirname(output).length + 1)}.map\n`)
    return true
  } catch (error) {
    console.error(error.message)
    return false
  }
}

/** Transpiles all files that are newer than their output. Bundles would hide changes, so single modules replace them. */
async function transpileStale() {
  const isBundled = existsSync(join(dist, 'parts'))
  const isStale = source => {
    const output = statSync(toOutput(source), { throwIfNoEntry: false })
    return isBundled || !output || output.mtimeMs < statSync(source).mtimeMs
  }
  const sources = folders
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true }).map(name => join(root, folder, name))
    )
    .filter(source => isSource(source) && isStale(source))
  if (sources.length > 0) rmSync(join(dist, '.built'), { force: true })
  for (const source of sources) await transpile(source)
  rmSync(join(dist, 'parts'), { recursive: true, force: true })
}

let run
/** Runs the tests, after stopping a run in progress. Resolves with the exit code. */
async function runTests() {
  if (run?.exitCode === null) {
    run.kill()
    await new Promise(resolve => run.once('close', resolve))
  }
  const files = tests.map(name => toOutput(join(root, name.replace(/^dist\//, '').replace(/\.js$/, '.ts'))))
  const args = [join(dist, 'scripts', 'dev', 'test.js'), ...files.map(file => relative(root, file))]
  run = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  return await new Promise(resolve => run.once('close', resolve))
}

/** Runs the tests after each series of changes. */
function watchSources() {
  const changed = new Set()
  let timer
  const runChanged = async () => {
    const sources = [...changed].filter(source => existsSync(source))
    changed.clear()
    rmSync(join(dist, '.built'), { force: true })
    const results = await Promise.all(sources.map(transpile))
    if (results.every(Boolean)) await runTests()
  }
  for (const folder of folders)
    watch(join(root, folder), { recursive: true }, (_type, name) => {
      if (name === null || !isSource(name)) return
      changed.add(join(root, folder, name))
      clearTimeout(timer)
      timer = setTimeout(() => void runChanged(), quietMs)
    })
}

if (tests.length === 0 && !isOnce) {
  console.error('Usage: npm run test:watch -- test/….test.ts')
  process.exit(1)
}
if (!existsSync(join(dist, 'scripts', 'dev', 'test.js')))
  await new Promise(resolve =>
    spawn('npm', ['run', 'build'], { cwd: root, stdio: 'inherit' }).once('close', resolve)
  )
await transpileStale()
if (!isOnce) watchSources()
if (tests.length > 0) {
  const status = await runTests()
  if (isOnce) process.exitCode = status
}
