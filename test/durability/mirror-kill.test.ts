/** Two servers that are killed while one copies what the other's account has shared: nothing is lost, and nothing is there twice. */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import type { Answer } from '../support/coffer.js'
import { freePorts } from '../support/free-ports.js'
import { seeded } from '../support/random.js'
import { requestContent } from '../support/two-servers.js'
import { Side } from './side.js'

t.setTimeout(600_000)

const random = seeded(t)
const isLong = process.env['COFFER_TEST_LONG'] === '1'
const rounds = isLong ? 40 : 2
const perRound = isLong ? 60 : 30
const app = ':_cmc:apps:clinic'
const copyRoot = ':_followed:paul-patient--127-0-0-1'
const all = 'state=all&fromTime=-1e12&toTime=1e12'

t.test('two servers that are killed while one copies the other', async t => {
  const [first = 0, second = 0] = await freePorts(2)
  const doctor = new Side(t.testdir({ doctor: {} }) + '/doctor', first, 'dora-doctor')
  const patient = new Side(t.testdirName + '/patient', second, 'paul-patient')
  const sides = [doctor, patient]
  t.teardown(async () => await Promise.all(sides.map(async ({ server }) => await server?.kill())))
  for (const side of sides) {
    await side.start()
    await side.register()
  }
  for (const id of ['health', 'diary']) await patient.send('POST', 'streams', { id, name: id })
  const series = ['a', 'b', 'c'].map(letter => `c${letter.repeat(24)}`)
  for (const [time, id] of series.entries())
    await patient.send('POST', 'events', { id, streamIds: ['health'], type: 'series:frequency/bpm', time })
  const asked = { streamIds: [app], type: 'consent/request-cmc', content: requestContent() }
  const { capabilityUrl } = (await doctor.send('POST', 'events', asked)).event.content
  const answer = { streamIds: [app], type: 'consent/accept-cmc', content: { capabilityUrl } }
  const accepted = await patient.send('POST', 'events', answer)
  t.match(await patient.settled(accepted.event.id), { status: 'completed' })
  const [channel] = [...(await doctor.peers()).values()]
  const { mirror } = await doctor.send('POST', 'mirrors', { accessId: channel.id })
  let notice = ''
  while (notice === '') {
    await wait(50)
    notice = (await patient.send('GET', 'webhooks')).webhooks[0]?.url ?? ''
  }
  const notify = async (): Promise<void> => {
    await doctor.send('POST', new URL(notice).pathname.replace('/dora-doctor/', ''), {})
  }
  const ids: string[] = []

  /** Adds, changes and deletes events. Repeating it changes nothing more. */
  const change = async (round: number): Promise<void> => {
    const added = Array.from(
      { length: perRound },
      (_, n) => `c${String(round * perRound + n).padStart(24, '0')}`
    )
    for (const id of added) {
      const streamIds = [random.below(2) === 0 ? 'health' : 'diary']
      const event = {
        id,
        streamIds,
        type: 'note/txt',
        content: `new ${id}`,
        time: 1e9 + random.below(50)
      }
      await patient.send('POST', 'events', event).catch(ignoreKnown)
    }
    ids.push(...added)
    for (let count = 0; count < perRound / 3; count++) {
      const id = random.pick(ids)
      if (random.below(10) < 7)
        await patient.send('PUT', `events/${id}`, { content: `round ${round} of ${id}` }).catch(ignoreKnown)
      else for (const _ of 'ab') await patient.send('DELETE', `events/${id}`).catch(ignoreKnown)
    }
  }

  /** Adds, overwrites and deletes points. */
  const changePoints = async (): Promise<void> => {
    for (let count = 0; count < 6; count++) {
      const id = random.pick(series)
      const from = random.below(20_000)
      const points = Array.from({ length: 1 + random.below(3000) }, (_, at) => [from + at, random.below(200)])
      const body = { format: 'flatJSON', fields: ['deltaTime', 'value'], points }
      if (random.below(10) < 8) await patient.send('POST', `events/${id}/series`, body)
      else
        await patient.send(
          'DELETE',
          `events/${id}/series?fromDeltaTime=${from}&toDeltaTime=${from + points.length}`
        )
    }
  }

  /** Adds files to events. An attempt whose answer was lost may have added one. */
  const addFiles = async (): Promise<void> => {
    for (let count = 0; count < 5; count++) {
      const form = new FormData()
      form.append(
        'file',
        new Blob([`${random.next()}`.repeat(random.below(5000))], { type: 'text/plain' }),
        'x.txt'
      )
      const url = `${patient.url}events/${random.pick(ids)}`
      await fetch(url, { method: 'POST', body: form, headers: { authorization: patient.token } })
        .then(async answer => await answer.arrayBuffer())
        .catch(() => undefined)
    }
  }

  for (let round = 0; round < rounds; round++) {
    const changing = Promise.all([change(round), changePoints(), ...(round > 0 ? [addFiles()] : [])])
    for (const side of random.below(2) === 0 ? [doctor] : sides) {
      await notify()
      await wait(random.below(150))
      await side.restart()
    }
    await changing
    await notify()
  }

  // The events of series show the last write within seconds.
  await wait(2500)
  const expected = await list(patient, 'streams[]=health&streams[]=diary')
  let copied: string[] = []
  // Everything is read each time.
  for (let tries = 0; tries < 75; tries++) {
    if (tries % 5 === 0) await notify()
    copied = await list(doctor, `streams[]=${copyRoot}`)
    if (copied.join() === expected.join()) break
    await wait(400)
  }
  t.same(copied, expected)
  t.match(expected.join(), /series:frequency/)
  t.match(expected.join(), /x\.txt/)
  t.equal((await doctor.send('GET', `mirrors/${mirror.id}`)).mirror.events, expected.length)
  t.comment(`${expected.length} events after ${rounds} rounds`)
})

/** An earlier attempt, whose answer was lost, has done it. */
function ignoreKnown(error: unknown): void {
  if (!/item-already-exists|unknown-resource/.test(String(error))) throw error
}

/** Lists events of an account, as texts. */
async function list(side: Side, query: string): Promise<string[]> {
  const { events } = await side.send('GET', `events?${all}&${query}`)
  const texts = await Promise.all(
    events.map(async ({ attachments = [], content, id, time, trashed, type }: Answer) => {
      const files = attachments.map((each: Answer) => `${each.fileName} ${each.size} ${each.integrity}`)
      const shown = type === 'note/txt' ? content : `${type} ${await digestPoints(side, id)}`
      return `${time} ${shown} ${trashed === true} ${files.toSorted().join()}`
    })
  )
  return texts.toSorted()
}

/** Returns the number of points of a series, and their digest. */
async function digestPoints(side: Side, id: string): Promise<string> {
  const { points } = await side.send('GET', `events/${id}/series?toDeltaTime=1e9`)
  return `${points.length} ${createHash('sha256').update(JSON.stringify(points)).digest('hex')}`
}
