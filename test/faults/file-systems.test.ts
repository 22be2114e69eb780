/** A data directory on several file systems, or a read-only one, is reported at start, not with the first upload. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { coffer } from '../support/coffer.js'
import { command } from '../support/command.js'
import { SmallDisk } from './small-disk.js'

const disk = SmallDisk.mounted(t, 32)
const skip = typeof disk === 'string' ? disk : false

t.test('coffer serve', { skip }, async t => {
  const { directory } = disk as SmallDisk

  for (const name of ['users', 'drafts', 'leaving'])
    await t.test(`refuses a folder whose ${name} are on another file system`, async t => {
      const root = t.testdir()
      const elsewhere = join(directory, name)
      mkdirSync(elsewhere)
      symlinkSync(elsewhere, join(root, name))
      const { code, errors } = await command(['serve', `--dataDir=${root}`, '--port=0'])
      t.equal(code, 1)
      t.match(errors, new RegExp(`${name} is on a separate file system`))
      t.same(readdirSync(elsewhere), [], 'nothing is left there')
      t.same(readdirSync(root), [name])
    })

  await t.test('refuses a folder that is a separate mount of the same disk', async t => {
    const root = join(directory, 'bound')
    for (const name of ['users', 'others']) mkdirSync(join(root, name), { recursive: true })
    execFileSync('mount', ['--bind', join(root, 'others'), join(root, 'users')])
    t.teardown(() => void execFileSync('umount', [join(root, 'users')]))
    const { code, errors } = await command(['serve', `--dataDir=${root}`, '--port=0'])
    t.equal(code, 1)
    t.match(errors, /\S+\/users is on a separate file system/)
    t.same(readdirSync(join(root, 'users')), [], 'nothing is left there')
  })

  await t.test('reports a read-only file system, instead of damaged data', async t => {
    const service = await coffer(t)
    await service.server.close()
    const root = join(directory, 'data')
    execFileSync('cp', ['-r', service.directory, root])
    execFileSync('mount', ['-o', 'remount,ro', directory])
    t.teardown(() => void execFileSync('mount', ['-o', 'remount,rw', directory]))
    const { code, errors } = await command(['serve', `--dataDir=${root}`, '--port=0'])
    t.equal(code, 1)
    t.match(errors, /Can't write .*data, because its file system is read-only/)
    t.notMatch(errors, /damaged|rebuild-index/)
  })
})
