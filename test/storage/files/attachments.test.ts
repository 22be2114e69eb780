/** Storing the bytes of attachments. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { createId } from '../../../core/ids.js'
import { DiskAttachments } from '../../../storage/files/attachments.js'
import { Layout } from '../../../storage/files/layout.js'

function open(t: Test) {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-files-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const layout = new Layout(directory)
  const newAccount = (): string => {
    const id = createId()
    mkdirSync(layout.userDirectory(id), { recursive: true })
    return id
  }
  return { directory, files: new DiskAttachments(layout), drafts: join(directory, 'drafts'), newAccount }
}

const bytes = Buffer.from('some bytes of a file')

/** Yields bytes, then fails. */
async function* broken(): AsyncGenerator<Buffer> {
  yield bytes
  throw new Error('gone')
}

t.test('an attachment', async t => {
  t.test('is stored as sent, with its digest and size', async t => {
    const { files, drafts, newAccount } = open(t)
    const [account, id] = [newAccount(), createId()]
    const received = await files.receive(Readable.from([bytes.subarray(0, 4), bytes.subarray(4)]), 'sha256')
    t.match(received, { size: bytes.length, digest: createHash('sha256').update(bytes).digest('base64') })
    t.equal(await files.get(account, id), undefined, 'it is not there before it is put')
    await files.put(account, id, received)
    t.same(await buffer((await files.get(account, id))!), bytes)
    t.same(await buffer((await files.get(account, id, { start: 5, end: 9 }))!), bytes.subarray(5, 10))
    t.equal(await files.size(account, id), bytes.length)
    t.same(await files.list(account), [id])
    t.same(readdirSync(drafts), [])
    await files.discard(received)
    t.equal(await files.size(account, id), bytes.length, 'what was put is not a draft any more')
    await files.remove(account, id)
    await files.remove(account, id)
    t.same(await files.list(account), [])
  })

  t.test('is complete, whatever the size of its chunks', async t => {
    const { files, newAccount } = open(t)
    const account = newAccount()
    for (const sizes of [[], [0, 3], [600_000, 1, 300_000], Array<number>(3000).fill(150)]) {
      const pieces = sizes.map(size => randomBytes(size))
      const whole = Buffer.concat(pieces)
      const id = createId()
      const received = await files.receive(Readable.from(pieces), 'sha256')
      t.match(received, { size: whole.length, digest: createHash('sha256').update(whole).digest('base64') })
      await files.put(account, id, received)
      t.ok(whole.equals(await buffer((await files.get(account, id))!)), `${sizes.length} pieces`)
    }
  })

  t.test('is stored in folders that are recreated after removal', async t => {
    const { directory, files, newAccount } = open(t)
    const account = newAccount()
    const ids = [createId(), createId()]
    for (let time = 0; time < 2; time++) {
      for (const id of ids)
        await files.put(account, id, await files.receive(Readable.from([bytes]), 'sha256'))
      t.same((await files.list(account)).toSorted(), ids.toSorted())
      rmSync(new Layout(directory).attachmentsDirectory(account), { recursive: true })
    }
  })

  t.test('is not stored if the account is deleted', async t => {
    const { directory, files } = open(t)
    const received = await files.receive(Readable.from([bytes]), 'sha256')
    await t.rejects(files.put(createId(), createId(), received), { code: 'ENOENT' })
    t.same(readdirSync(directory), ['drafts'])
  })

  t.test('leaves nothing behind if its sender fails', async t => {
    const { files, drafts } = open(t)
    await t.rejects(files.receive(Readable.from(broken()), 'sha256'), { message: 'gone' })
    t.same(readdirSync(drafts), [])
  })

  t.test('leaves nothing behind if its sender fails immediately, then or later', async t => {
    const { files, drafts } = open(t)
    for (let n = 0; n < 200; n++) {
      const source = new Readable({ read: () => undefined })
      const received = files.receive(source, 'sha256')
      if (n % 2 === 1) for (let turns = 0; turns < 3; turns++) await Promise.resolve()
      source.destroy(new Error('gone'))
      await t.rejects(received, { message: 'gone' })
    }
    // The system completes pending work on the files before this.
    for (let n = 0; n < 10; n++) await readdir(drafts)
    t.same(await readdir(drafts), [])
  })

  t.test('does not recreate the folder of a deleted account', async t => {
    const { directory, files } = open(t)
    const gone = createId()
    const received = await files.receive(Readable.from([bytes]), 'sha256')
    await t.rejects(files.put(gone, createId(), received), { code: 'ENOENT' })
    t.notOk(existsSync(new Layout(directory).userDirectory(gone)))
  })

  t.test('that was never stored is removed by the next process, not by any thread of its own', async t => {
    const { directory, drafts, files } = open(t)
    const { draft } = await files.receive(Readable.from([bytes]), 'sha256')
    await files.sweepDrafts()
    t.equal(readdirSync(drafts).length, 1)
    await new DiskAttachments(new Layout(directory)).sweepDrafts()
    t.equal(readdirSync(drafts).length, 1, 'another thread, which has attachments of its own')
    const before = Date.now() / 1000 - process.uptime() - 1
    utimesSync(draft, before, before)
    await files.sweepDrafts()
    t.same(readdirSync(drafts), [], 'what was written before the process began')
  })

  t.test('refuses ids that lead outside its folder', async t => {
    const { files } = open(t)
    for (const id of ['../../../etc/passwd', 'c/../../x', '', 'c'.repeat(26), 'c\0aaaaaaaaaaaaaaaaaaaaaaa'])
      await t.rejects(files.get(createId(), id), { message: 'Not an attachment id' })
    await t.rejects(files.get('../other', createId()), { message: 'Not an account id' })
  })
})
