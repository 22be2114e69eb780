/** What callers get when an account's file is damaged. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Layout } from '../../../storage/files/layout.js'
import { openCoffer } from '../../support/coffer.js'

const damages = {
  missing: (file: string) => rmSync(file),
  empty: (file: string) => truncateSync(file, 0),
  truncated: (file: string) => truncateSync(file, 8192),
  garbled: (file: string) => writeFileSync(file, 'not a database '.repeat(1000))
}

for (const [name, harm] of Object.entries(damages))
  t.test(`an account whose file is ${name} returns corrupted-data, without affecting others`, async t => {
    // With one open file at most, each user's call closes the other's file.
    const service = await openCoffer(t, { storage: { maxOpenUsers: 1 } })
    const { alice } = service
    const { accounts } = service.server.services
    const bobby = await service.user('bobby')
    const file = new Layout(service.directory).userFile(accounts.find('bobby')!.id)
    t.match(await bobby.call('callBatch', []), { results: [] })
    t.match(await alice.call('callBatch', []), { results: [] })
    harm(file)
    const size = existsSync(file) && statSync(file).size

    const { url } = service.server
    const login = { username: 'bobby', password: 'whatever', appId: 'test-app' }
    for (let count = 0; count < 2; count++) {
      const answers = [
        await bobby.http('POST', '/', []),
        await bobby.http('GET', '/streams'),
        await bobby.http('POST', '/auth/login', login, { origin: url })
      ]
      for (const { status, body } of answers) {
        t.equal(status, 500)
        t.equal(body.error.id, 'corrupted-data')
        t.notMatch(JSON.stringify(body), /sqlite|users/i, 'tells nothing of files')
        t.type(body.meta.serverTime, 'number')
      }
      t.match(await alice.call('callBatch', []), { results: [] })
    }
    const fields = { appId: 'test-app', username: 'bobby', password: 'correct horse', email: 'b' }
    t.match(await service.http('POST', '/users', fields), { status: 409 }, 'its name is not given away')
    t.equal(existsSync(file) && statSync(file).size, size, 'and the file is kept as it is')
  })

t.test('an export that encounters damage is aborted, and nothing else', async t => {
  const service = await openCoffer(t)
  const { alice } = service
  await alice.stream('diary')
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
  form.append('file', new Blob(['some bytes']), 'note.txt')
  const { body } = await alice.http('POST', '/events', form)
  const [{ id }] = body.event.attachments
  const users = join(service.directory, 'users')
  const [name] = readdirSync(users, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith(id))
  rmSync(join(users, name!))
  mkdirSync(join(users, name!))
  await t.rejects(alice.http('GET', '/account/export'), 'it breaks off')
  t.equal((await alice.http('GET', '/streams')).status, 200)
})
