/** Earlier versions of client libraries, in a separate folder: too many to install with everything else. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packageDirectory } from '../../core/version.js'

const source = join(packageDirectory, 'test', 'clients', 'older')
const target = join(packageDirectory, '.test-output', 'older-clients')
const lock = 'package-lock.json'

/** Options of a test that needs these libraries: the reason to skip it, if any. */
export function olderClientsNeeded(): { skip: string | false } {
  if (!process.env['COFFER_TEST_LONG'])
    return { skip: 'set COFFER_TEST_LONG=1 to install and run older clients' }
  return { skip: isInstalled() ? false : install() }
}

/** Loads one of these libraries by its name in the folder. */
export function loadOlder(name: string): unknown {
  return createRequire(join(target, 'package.json'))(name)
}

/** Returns the path of a file in one of these libraries. */
export function fileOfOlder(name: string): string {
  return createRequire(join(target, 'package.json')).resolve(name)
}

/** Returns the names that begin with a prefix. */
export function olderNames(prefix: string): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    dependencies: object
  }
  return Object.keys(dependencies).filter(name => name.startsWith(prefix))
}

/** Returns `false` once the libraries are installed, otherwise the reason why not. */
function install(): string | false {
  mkdirSync(target, { recursive: true })
  for (const name of ['package.json', lock]) copyFileSync(join(source, name), join(target, name))
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', target]
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8', timeout: 120_000 })
  if (status !== 0) return `older clients could not be installed: ${stderr.slice(-300)}`
  writeFileSync(join(target, 'installed'), readFileSync(join(source, lock)))
  return false
}

/** Returns whether exactly these libraries are installed. */
function isInstalled(): boolean {
  const mark = join(target, 'installed')
  return existsSync(mark) && readFileSync(mark, 'utf8') === readFileSync(join(source, lock), 'utf8')
}
