/** A crash during uploads leaves every acknowledged attachment complete, and nothing else. */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import type { Answer } from '../support/coffer.js'
import { seeded } from '../support/random.js'
import { until } from '../support/socket.js'
import { post, signIn } from './requests.js'
import { ServerProcess } from './server-process.js'

t.setTimeout(900_000)

const rounds = process.env['COFFER_TEST_LONG'] ? 40 : 1
const random = seeded(t)
const senders = 4
/** Sizes of files, in bytes: some are sent in one chunk, some in many. */
const sizes = [100, 70_000, 3_000_000]

/** An acknowledged file. */
interface Sent {
  readonly event: string
  readonly id: string
  readonly digest: string
}

t.test('a server that is killed during uploads', async t => {
  const dataDir = t.testdir({})
  const layout = new Layout(dataDir)
  let server = await ServerProcess.start(dataDir)
  t.teardown(async () => await server.kill())
  const token = await signIn(server.url)
  const user = (): string => `${server.url}/kill-test`
  const sent: Sent[] = []
  let onAcknowledged: (() => void) | undefined

  async function send(index: number): Promise<void> {
    const name = `sender-${index}`
    for (;;) {
      const bytes = randomBytes(random.pick(sizes))
      const form = new FormData()
      form.append('event', JSON.stringify({ streamIds: ['files'], type: 'file/attached' }))
      form.append('file', new Blob([bytes]), name)
      let answer: Answer
      try {
        const headers = { authorization: token }
        answer = await (await fetch(`${user()}/events`, { method: 'POST', headers, body: form })).json()
      } catch {
        return
      }
      const [attachment] = answer.event.attachments
      sent.push({ event: answer.event.id, id: attachment.id, digest: digestOf(bytes) })
      onAcknowledged?.()
    }
  }

  await post(`${user()}/streams`, { id: 'files', name: 'Files' }, token)
  for (let round = 1; round <= rounds; round++) {
    let left = 1 + random.below(12)
    const isEnough = new Promise<void>(resolve => {
      onAcknowledged = () => void (--left === 0 && resolve())
    })
    const atWork = Array.from({ length: senders }, (_, index) => send(index))
    await isEnough
    await wait(random.below(30))
    await server.kill()
    await Promise.all(atWork)

    const { problems } = await checkDirectory(layout)
    t.same(problems, [], `round ${round}: no row without its bytes`)
    server = await ServerProcess.start(dataDir)
    const response = await fetch(`${user()}/events?types=file/attached&limit=100000`, {
      headers: { authorization: token }
    })
    const { events } = (await response.json()) as { events: Answer[] }
    const kept = new Map<string, string>(
      events.flatMap(({ attachments }) => attachments.map(({ id, integrity }: Answer) => [id, integrity]))
    )
    t.same(
      sent.filter(({ id, digest }) => kept.get(id) !== `sha256-${digest}`),
      [],
      `${sent.length} acknowledged files are there`
    )
    t.equal(kept.size, events.length, 'each event has its file')
    await until(
      () => filesBelow(dataDir).length === kept.size && readdirSync(layout.draftsDirectory).length === 0,
      'bytes without a row are swept'
    )
    t.same(filesBelow(dataDir).toSorted(), [...kept.keys()].toSorted(), 'and nothing else')
  }

  const { event, id, digest } = sent.at(-1)!
  const answer = await fetch(`${user()}/events/${event}/${id}`, { headers: { authorization: token } })
  t.equal(digestOf(Buffer.from(await answer.arrayBuffer())), digest)
  await server.stop()
})

/** Returns the names of all attachment files. */
function filesBelow(dataDir: string): string[] {
  return readdirSync(join(dataDir, 'users'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.parentPath.includes('attachments'))
    .map(({ name }) => name)
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64')
}
