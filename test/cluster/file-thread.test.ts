/** The thread that works on closed files keeps the state of a copy, however late the next records arrive. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { FileThread } from '../../cluster/files/file-thread.js'
import { encode, noBase } from '../../cluster/records.js'

t.test('a copy outlives the idle timeout of the thread', async t => {
  const files = new FileThread(1)
  t.teardown(() => files.close())
  const file = join(t.testdir(), 'copy')
  const start = { lsn: 0, epoch: 0, sequence: 0 }
  await files.begin(file, start)
  t.ok(existsSync(file))
  // This timer fires after the one that would end the thread.
  await wait(50)
  const position = { lsn: 0, epoch: 0 }
  const head = { kind: 'takeover', epoch: 1, position, previous: 0, base: noBase } as const
  const bytes = await encode({ ...head, writer: 1, commits: [], isContinued: false })
  t.same(await files.apply(file, [{ sequence: 7, bytes }]), { ...position, sequence: 7 })
  await files.end(file)
  await wait(50)
  await t.rejects(files.apply(file, [{ sequence: 8, bytes }]), /nothing has been begun/)
})
