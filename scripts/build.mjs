/** Builds `dist/` from the sources; with `--if-stale` only if a source is newer than the last build. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { chmodSync, existsSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const mark = join(root, 'dist', '.built')
const compiler = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')
const sources = [
  'cluster',
  'core',
  'imports',
  'transports',
  'server',
  'storage',
  'schemas',
  'scripts',
  'test',
  'web',
  'package.json',
  'tsconfig.json'
]

/** Latest modification time of a file, or of anything below a folder, in milliseconds. */
function changed(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map(name => changed(join(path, name))))
}

/** Runs a script with Node. Rejects if it fails. */
function run(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
    child.once('error', reject)
    child.once('close', code => (code === 0 ? resolve() : reject(new Error(`failed: ${args.join(' ')}`))))
  })
}

const isStale = !existsSync(mark) || sources.some(name => changed(join(root, name)) > statSync(mark).mtimeMs)
if (isStale || !process.argv.includes('--if-stale')) {
  const ends = await Promise.allSettled([
    run(compiler),
    run(compiler, '-p', 'web'),
    run(compiler, '-p', 'web/worker'),
    run(join('scripts', 'build-pages.mjs')),
    run(join('scripts', 'build-libraries.mjs'))
  ])
  const failures = ends.filter(({ status }) => status === 'rejected')
  for (const { reason } of failures) console.error(reason.message)
  if (failures.length > 0) process.exit(1)
  writeFileSync(mark, '')
}

// Links the command so that `npx coffer` finds it: npm links the commands of dependencies only.
const bin = join(root, 'node_modules', '.bin')
chmodSync(join(root, 'dist', 'scripts', 'coffer.cjs'), 0o755)
if (existsSync(bin)) {
  rmSync(join(bin, 'coffer'), { force: true })
  symlinkSync(join('..', '..', 'dist', 'scripts', 'coffer.cjs'), join(bin, 'coffer'))
}
