/** The npm package: `npx coffer` in an empty folder. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import t, { type Test } from 'tap'
import { findLibraries } from '../../scripts/package/contents.js'
import { packageDirectory, version } from '../../core/version.js'
import { start } from '../support/process.js'
import { rotate } from '../support/rotation.js'
import { packages, useService } from '../support/using.js'

t.setTimeout(900_000)

const isLong = process.env['COFFER_TEST_LONG'] === '1'

/** Packs the built package. Returns the path of the archive. */
function packed(folder: string): string {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
  execFileSync('npm', args, { cwd: packageDirectory, stdio: ['ignore', 'pipe', 'ignore'] })
  return join(folder, `coffer-${version}.tgz`)
}

/** Returns a folder outside the repository, so that nothing is resolved from there. */
function emptyFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-npx-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Installs an archive like npm, with its dependencies as they are installed here. */
function install(archive: string, folder: string): void {
  const own = join(folder, 'node_modules', 'coffer')
  mkdirSync(own, { recursive: true })
  execFileSync('tar', ['-xzf', archive, '-C', own, '--strip-components=1'])
  for (const path of findLibraries()) {
    const name = relative(join(packageDirectory, 'node_modules'), path)
    if (name.includes('node_modules')) continue
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(path, link)
  }
  // Dependencies of dependencies, or bundled ones, are declared as well.
  symlinkSync(join(packageDirectory, 'node_modules', 'typebox'), join(folder, 'node_modules', 'typebox'))
  mkdirSync(join(folder, 'node_modules', '.bin'))
  symlinkSync('../coffer/dist/scripts/coffer.cjs', join(folder, 'node_modules', '.bin', 'coffer'))
  execFileSync('chmod', ['+x', join(own, 'dist', 'scripts', 'coffer.cjs')])
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
}

async function use(t: Test, folder: string): Promise<void> {
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  t.equal(run('npx', '--offline', 'coffer', '--version').trim(), version)
  const program = join(folder, 'node_modules', '.bin', 'coffer')
  const running = await start(t, join(folder, 'data'), program, ['serve'], folder)
  await useService(t, running.url)
  t.match(await running.stop('SIGTERM'), { status: 0 })
  t.match(run(program, 'check', '--dataDir=data'), '1 account: ')
}

const isTurn = rotate(t, packages).includes('npm')

t.test('npx coffer', { skip: !isTurn && 'not its turn' }, async t => {
  const archive = packed(emptyFolder(t))

  t.test('runs with only the packed files and the declared dependencies', async t => {
    const folder = emptyFolder(t)
    install(archive, folder)
    const own = join(folder, 'node_modules', 'coffer')
    t.same(
      readdirSync(own).toSorted(),
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'dist',
        'docs',
        'mail',
        'package.json',
        'transports',
        'web'
      ].toSorted()
    )
    const names = readdirSync(join(own, 'dist'), { recursive: true, encoding: 'utf8' })
    t.same(
      names.filter(name => /\.test\.js$|^scripts\/(?:bench|dev|package)\//.test(name)),
      []
    )
    await use(t, folder)
  })

  t.test(
    'can be installed with npm',
    { skip: isLong ? false : 'it asks the registry: npm run test:long' },
    async t => {
      const folder = emptyFolder(t)
      writeFileSync(join(folder, 'package.json'), '{"private": true}')
      const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', archive]
      execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
      await use(t, folder)
    }
  )
})
