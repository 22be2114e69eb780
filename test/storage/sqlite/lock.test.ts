/** Locking a data directory for one process. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../../core/version.js'
import { DirectoryLocked, lockDirectory } from '../../../storage/sqlite/lock.js'

/** Returns the arguments for a process that takes the lock, prints the result, and waits. */
function program(file: string): string[] {
  const module = JSON.stringify(join(packageDirectory, 'dist/storage/sqlite/lock.js'))
  return [
    '--input-type=module',
    '--eval',
    `import { lockDirectory } from ${module}
     try { lockDirectory(${JSON.stringify(file)}); console.log('owner'); setInterval(() => {}, 1000) }
     catch (error) { console.log(error.message) }`
  ]
}

t.test('lockDirectory', async t => {
  const directory = t.testdir()
  const file = join(directory, 'new', 'coffer.lock')

  t.test('creates the directory, and can be locked again after it was released', async t => {
    const release = lockDirectory(file)
    t.equal(readFileSync(`${file}.pid`, 'utf8').trim(), String(process.pid))
    t.throws(() => lockDirectory(file), DirectoryLocked)
    t.throws(() => lockDirectory(file), new RegExp(`in use by another process \\(pid ${process.pid}\\)`))
    release()
    t.notOk(existsSync(`${file}.pid`))
    lockDirectory(file)()
  })

  t.test('refuses another process, naming the owner', async t => {
    const release = lockDirectory(file)
    const { stdout } = spawnSync(process.execPath, program(file), { encoding: 'utf8' })
    t.match(stdout, `(pid ${process.pid})`)
    release()
  })

  t.test('is released when its owner is killed, even if the pid is reused', async t => {
    const owner = spawn(process.execPath, program(file), { stdio: ['ignore', 'pipe', 'inherit'] })
    t.match(String((await once(owner.stdout, 'data'))[0]), 'owner')
    t.throws(() => lockDirectory(file), new RegExp(`pid ${owner.pid}`))
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    writeFileSync(`${file}.pid`, `${process.ppid}\n`)
    lockDirectory(file)()
  })
})
