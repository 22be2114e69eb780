/** A crash while an account is deleted leaves it complete or gone. (docs/spec/accounts.md#deleting-an-account) */
import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import { filesWith, plant, sender } from '../support/planted.js'
import { seeded } from '../support/random.js'
import { ServerProcess } from './server-process.js'

t.setTimeout(900_000)

const rounds = process.env['COFFER_TEST_LONG'] ? 60 : 1
const random = seeded(t)
/** Number of the account's files, large enough that removing them is slow. */
const files = 200
const adminKey = 'the key of the operator'
const username = 'kill-test'
const mark = 'canary7391x'
const flags = ['--adminKey', adminKey]

/** Returns a form with many small files. */
function manyFiles(): FormData {
  const form = new FormData()
  for (let index = 0; index < files; index++)
    form.append('file', new Blob([`${mark} ${index}`]), `${index}.txt`)
  return form
}

t.test('a server that is killed while it deletes an account', async t => {
  const dataDir = t.testdir({})
  const layout = new Layout(dataDir)
  let server = await ServerProcess.start(dataDir, flags)
  t.teardown(async () => await server.kill())
  await plant(sender(server.url), 'bystander', 'nothing-special')
  const ends = { whole: 0, gone: 0 }
  for (let round = 0; round < rounds; round++) {
    const send = sender(server.url)
    const { eventId, token } = await plant(send, username, mark)
    await send('POST', `/${username}/events/${eventId}`, manyFiles(), token)
    const deletion = send('DELETE', `/users/${username}`, undefined, adminKey).catch(() => undefined)
    await wait(((round + random.next()) / rounds) * 60)
    await server.kill()
    const isAnswered = (await deletion) !== undefined
    server = await ServerProcess.start(dataDir, flags)

    const response = await fetch(`${server.url}/${username}/events/${eventId}`, {
      headers: { authorization: token }
    })
    if (response.status === 200) {
      ends.whole++
      t.notOk(isAnswered, 'what was acknowledged has happened')
      const { event } = (await response.json()) as { event: { attachments: unknown[] } }
      t.equal(event.attachments.length, files + 1)
      await sender(server.url)('DELETE', `/users/${username}`, undefined, adminKey)
    } else {
      ends.gone++
      t.equal(response.status, 404)
    }
    t.same(filesWith(dataDir, mark), [], 'no trace is left')
    t.same(filesWith(dataDir, username), [])
    t.notOk(existsSync(layout.leavingDirectory) && readdirSync(layout.leavingDirectory).length > 0)
  }
  t.comment(`whole ${ends.whole} times, gone ${ends.gone} times`)
  const again = await plant(sender(server.url), username, mark)
  t.ok(again.token, 'the name is free')
  await server.stop()
  t.same((await checkDirectory(layout)).problems, [])
})
