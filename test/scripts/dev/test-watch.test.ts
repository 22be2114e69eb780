/** `npm run test:watch` runs a test from its source, and again after a change. In a separate project. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { packageDirectory } from '../../../core/version.js'

const script = join(packageDirectory, 'scripts', 'test-watch.mjs')
/** A test command that runs the given files. */
const command = `for (const file of process.argv.slice(2)) await import(process.cwd() + '/' + file)`

t.test('test:watch', async t => {
  t.test('runs a test from its source, and again after each change', async t => {
    const directory = t.testdir({
      'package.json': '{ "type": "module" }',
      'tsconfig.json': '{ "include": ["core", "test"] }',
      core: { 'value.ts': 'export const value: string = "first"' },
      test: { 'value.test.ts': `import { value } from '../core/value.js'\nconsole.log('value is', value)` },
      dist: { '.built': '', parts: {}, scripts: { dev: { 'test.js': command } } }
    })
    const child = spawn(process.execPath, [script, 'test/value.test.ts'], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit']
    })
    t.teardown(async () => {
      const closed = once(child, 'close')
      child.kill()
      await closed
    })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    t.equal((await lines.next()).value, 'value is first')
    writeFileSync(join(directory, 'core', 'value.ts'), 'export const value: string = "second"')
    t.equal((await lines.next()).value, 'value is second')
    t.notOk(existsSync(join(directory, 'dist', 'parts')), 'no bundle hides a change')
    t.notOk(existsSync(join(directory, 'dist', '.built')), 'the next start builds')
  })
})
