/** Runs the example of docs/library.md as a program, with the package in its `node_modules`. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { examplesOf } from '../support/snippets.js'

t.test('docs/library.md', async t => {
  t.test('has an example that runs', async t => {
    const [example, ...others] = examplesOf('docs/library.md')
    t.equal(others.length, 0)
    const directory = t.testdir()
    mkdirSync(join(directory, 'node_modules'))
    symlinkSync(packageDirectory, join(directory, 'node_modules', 'coffer'))
    writeFileSync(join(directory, 'example.mjs'), example!.source)
    const { status, stderr, stdout } = spawnSync(process.execPath, ['example.mjs'], {
      cwd: directory,
      encoding: 'utf8'
    })
    t.match({ status, stdout }, { status: 0, stdout: '[ 61.5 ]\n' }, stderr)
  })
})
