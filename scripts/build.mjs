/** Builds `dist/` from the sources; with `--if-stale` only if a source is newer than the last build. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const mark = join(root, 'dist', '.built')
const compiler = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')
const sources = [
  'client',
  'cluster',
  'core',
  'docs/connect',
  'docs/connect.md',
  'imports',
  'transports',
  'server',
  'storage',
  'schemas',
  'scripts',
  'test',
  'web',
  'package.json',
  'package-lock.json',
  'tsconfig.json'
]

/** Returns the latest modification time of a file, or of anything below a folder, in milliseconds. */
function getLatestChange(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map(name => getLatestChange(join(path, name))))
}

/** Runs a script with Node. Rejects if it fails. */
function run(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
    child.once('error', reject)
    child.once('close', code => (code === 0 ? resolve() : reject(new Error(`failed: ${args.join(' ')}`))))
  })
}

const isStale =
  !existsSync(mark) || sources.some(name => getLatestChange(join(root, name)) > statSync(mark).mtimeMs)
if (isStale || !process.argv.includes('--if-stale')) {
  const ends = await Promise.allSettled([
    run(compiler).then(() => run(join('scripts', 'build-service.mjs'))),
    run(compiler, '-p', 'client'),
    run(compiler, '-p', 'web'),
    run(compiler, '-p', 'web/worker'),
    run(join('scripts', 'build-pages.mjs')),
    run(join('scripts', 'build-guides.mjs')),
    run(join('scripts', 'build-libraries.mjs'))
  ])
  const failures = ends.filter(({ status }) => status === 'rejected')
  for (const { reason } of failures) console.error(reason.message)
  if (failures.length > 0) process.exit(1)
  // The service needs all of them.
  const { untracedOptions } = await import('../dist/scripts/dev/test-process.js')
  for (const options of [[], untracedOptions]) await run(...options, join('scripts', 'build-code-cache.mjs'))
  writeFileSync(mark, '')
}

// Link the command, so that `npx coffer` finds it, and the client, for the examples in the documentation: npm links only those of
// dependencies.
chmodSync(join(root, 'dist', 'scripts', 'coffer.cjs'), 0o755)
link(join('.bin', 'coffer'), join('..', '..', 'dist', 'scripts', 'coffer.cjs'))
link(join('@coffer', 'client'), join('..', '..', 'client'))

/** Creates a symbolic link in `node_modules`, if that exists. `target` is relative to the link. */
function link(name, target) {
  const modules = join(root, 'node_modules')
  if (!existsSync(modules)) return
  mkdirSync(join(modules, dirname(name)), { recursive: true })
  rmSync(join(modules, name), { force: true })
  symlinkSync(target, join(modules, name))
}
