/** How many files of forms are written at a time. */
import t from 'tap'
import { PendingFiles } from '../../../../transports/http/request/pending-files.js'

t.test('forms whose files arrive slowly do not keep another one from having several', async t => {
  const ends: (() => void)[] = []
  const add = (form: PendingFiles): void => form.add(new Promise<void>(resolve => ends.push(resolve)))
  for (let n = 0; n < 400; n++) add(new PendingFiles())
  const form = new PendingFiles()
  add(form)
  add(form)
  t.notOk(form.isFull)
  const many = Array.from({ length: 10 }, () => new PendingFiles())
  for (const each of many) for (let n = 0; n < 32; n++) add(each)
  t.ok(form.isFull, 'files that are written count')
  const waiting = form.waitForRoom()
  for (const end of ends) end()
  await waiting
  t.notOk(form.isFull)
  for (const each of many) t.notOk(each.isFull)
})
