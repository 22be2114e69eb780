/** Acknowledged changes survive a crash exactly; others are either complete or absent, never partial. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import Database from 'better-sqlite3'
import type { Answer } from '../support/coffer.js'
import { seeded } from '../support/random.js'
import { rotate } from '../support/rotation.js'
import type { State } from './ledger.js'
import { post, signIn } from './requests.js'
import { ServerProcess } from './server-process.js'
import { Writer } from './writer.js'

t.setTimeout(900_000)

const rounds = Array.from({ length: process.env['COFFER_TEST_LONG'] ? 60 : 2 }, (_, round) => round + 1)
const random = seeded(t)
const writers = 4
const bystander = {
  username: 'bystander',
  password: 'a long secret',
  email: 'by@example.com',
  appId: 'kill-test'
}
/** In every second round one file may be open at most, so that files are closed and opened continually. */
const narrow = ['--storage.maxOpenUsers', '1']

t.test('a server that is killed during writes', async t => {
  const dataDir = t.testdir({})
  let server = await ServerProcess.start(dataDir)
  t.teardown(async () => await server.kill())
  const userUrl = (): string => `${server.url}/kill-test/`
  const token = await signIn(server.url)
  const team = Array.from({ length: writers }, (_, index) => new Writer(`writer-${index}`, token, random))
  await post(`${server.url}/users`, bystander)
  for (const { name } of team) await post(`${userUrl()}streams`, { id: name, name }, token)

  for (const round of rotate(t, rounds)) {
    // Kills it after another acknowledged call, while others are in progress.
    let left = 5 + random.below(60)
    const isEnough = new Promise<void>(resolve => {
      for (const writer of team) writer.onAcknowledged = () => void (--left === 0 && resolve())
    })
    const atWork = [...team.map(writer => writer.work(userUrl())), takeRoom(server.url)]
    await isEnough
    await wait(random.below(20))
    await server.kill()
    await Promise.all(atWork)
    server = await ServerProcess.start(dataDir, round % 2 === 0 ? [] : narrow)
    const { events, deletions } = await everything(userUrl(), token)
    const wrong = team.flatMap(({ name, ledger }) =>
      ledger.reconcile({ events: of(name, events), deletions })
    )
    t.same(wrong, [], `round ${round}: ${events.length} events, as acknowledged`)
    t.equal(new Set(events.map(({ id }) => id)).size, events.length, 'no id twice')
    t.equal(new Set(events.map(({ clientData }) => clientData.key)).size, events.length, 'no event twice')
  }

  const acknowledged = team.reduce((sum, writer) => sum + writer.acknowledged, 0)
  t.ok(acknowledged > writers, `${acknowledged} calls were acknowledged`)
  await server.stop()
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.sqlite')
  )
  t.ok(files.length >= 2)
  for (const file of files) {
    const db = new Database(join(dataDir, file), { readonly: true })
    t.same(db.pragma('integrity_check', { simple: true }), 'ok')
    db.close()
  }
})

/** Reads another account, whose file must be opened for that, until the connection breaks. */
async function takeRoom(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: 'nobody knows' }
  try {
    for (;;) await (await fetch(`${url}/${bystander.username}/events`, { headers })).text()
  } catch {
    // The server has been killed.
  }
}

/** Returns all events, including trashed ones, and the ids of deleted ones. */
async function everything(
  url: string,
  token: string
): Promise<{ events: Answer[]; deletions: ReadonlySet<string> }> {
  const query = 'state=all&fromTime=-1e300&toTime=1e300&modifiedSince=-1e300&includeDeletions=true'
  const response = await fetch(`${url}events?${query}`, { headers: { authorization: token } })
  const { events, eventDeletions } = (await response.json()) as Answer
  // Values of account fields have no key.
  const own = events.filter(({ clientData }: Answer) => clientData)
  return { events: own, deletions: new Set(eventDeletions.map(({ id }: { id: string }) => id)) }
}

/** Returns the events of one writer, by key. */
function of(writer: string, events: readonly Answer[]): Map<string, { id: string; state: State }> {
  return new Map(
    events
      .filter(({ clientData }) => clientData.key.startsWith(`${writer}-`))
      .map(({ id, content, streamId, trashed = false, clientData }) => [
        clientData.key,
        { id, state: { content, streamId, trashed } }
      ])
  )
}
