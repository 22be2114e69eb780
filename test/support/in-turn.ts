/** Runs test files one after another in this process: most take less time than starting a process does. */
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { measureCpuTime } from './cpu-time.js'
import { ends } from './ends.js'
import { syncInline } from './inline-syncs.js'
import { loadTracing, loadWithoutTracing } from './load-tap.js'

const { COFFER_TEST_FILES: files = '', COFFER_TEST_UNTRACED: untraced } = process.env
// Hidden from the tests.
delete process.env['COFFER_TEST_FILES']
delete process.env['COFFER_TEST_UNTRACED']
// Every process that a test starts would read these certificates, which takes longer than starting Node does.
delete process.env['NODE_EXTRA_CA_CERTS']
// On a disk, a sync takes time in which this thread has other work.
if (untraced !== undefined && tmpdir().startsWith('/dev/shm/')) syncInline()
const t = await (untraced === undefined ? loadTracing() : loadWithoutTracing())
const limitMs = Number(process.env['TAP_TIMEOUT']) * 1000
const home = process.cwd()
ends.all = []
/** Teardown functions of the current file, the latest first. */
const teardowns: (() => unknown)[] = []
/** CPU time when the current file began, in seconds. */
let usedBefore = measureCpuTime() ?? 0
// The library would end all tests as soon as none is running, while the next file is being loaded.
t.teardown = t.after = teardown => void teardowns.unshift(teardown)
for (const file of files.split('\n')) {
  t.setTimeout(limitMs)
  // If a test changes the working directory, change back for the library.
  process.chdir(home)
  try {
    await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    t.fail(`${file} cannot be loaded`, { error })
  }
  if (!t.idle) await once(t, 'idle')
  for (const teardown of teardowns.splice(0)) await teardown()
  const used = measureCpuTime()
  t.comment(`end of ${file}, CPU ${used === undefined ? '' : (used - usedBefore).toFixed(1)}`)
  usedBefore = used ?? 0
}
for (const end of ends.all) await end()
