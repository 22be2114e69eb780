/** What is left of a copy on the disk of its keeper once it is erased: nothing. */
import t, { type Test } from 'tap'
import type { Answer } from '../../support/coffer.js'
import { noPictures, picture } from '../../support/pictures.js'
import { filesWith } from '../../support/planted.js'
import { rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { follow, reaches, root, startWorld, type World } from './world.js'

t.setTimeout(180_000)

const mark = 'canarymark'
const everything = { state: 'all', fromTime: -1e12, toTime: 1e12, limit: 1000 }

/** Shares texts, points, a picture and a file that contain the mark, and waits for their copies. */
async function plant(world: World): Promise<string> {
  const { dora, paul } = world
  const at = { streamIds: ['health'], time: 1.6e9 }
  await paul.do('streams.create', { id: 'below', name: `${mark} stream`, parentId: 'health' })
  for (let count = 0; count < 100; count++) {
    const more = { description: `${mark} ${'long '.repeat(50)}`, clientData: { [mark]: mark } }
    await paul.do('events.create', { ...at, type: 'note/txt', content: `${mark} ${count}`, ...more })
  }
  const { event } = await paul.do('events.create', { ...at, type: 'series:note/txt' })
  const points = Array.from({ length: 3000 }, (_, place) => [place, `${mark} ${place}`])
  await paul.do('hfs.add', { id: event.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  const form = new FormData()
  form.append('event', JSON.stringify({ ...at, type: 'picture/attached' }))
  const bytes = noPictures ? mark : new Uint8Array(await picture(30, 20))
  form.append('file', new Blob([bytes], { type: 'image/png' }), `${mark}.png`)
  form.append('file', new Blob([mark.repeat(1000)], { type: 'text/plain' }), `${mark}.txt`)
  await paul.http('POST', '/events', form)
  const id = await follow(world)
  await until(async () => {
    const { events } = await dora.do('events.get', { ...everything, streams: [root] })
    const [series, image] = ['series:note/txt', 'picture/attached'].map(type =>
      events.find((each: Answer) => each.type === type)
    )
    if (image?.attachments?.length !== 2 || !series) return false
    return (await dora.do('hfs.get', { id: series.id, toDeltaTime: 1e9 })).points.length === 3000
  }, 'the copy')
  return id
}

/** Reads the copy in all ways that leave something behind. */
async function use(t: Test, { dora }: World): Promise<void> {
  const { events } = await dora.do('events.get', { ...everything, streams: [root] })
  const image = events.find((each: Answer) => each.type === 'picture/attached')
  await dora.http('GET', `/previews/events/${image.id}`)
  await dora.do('measures.facts', { streams: [root] })
  await dora.do('measures.days', { measure: 'note', from: '2020-09-01', to: '2020-09-30', streams: [root] })
  t.ok((await dora.do('events.get', { ...everything, streams: [root], text: mark })).events.length > 0)
  for (const format of ['csv', 'ndjson', 'fhir', 'parquet', 'folder'])
    await dora.http('GET', `/events/export?format=${format}&streams[]=${root}&fromTime=0&toTime=2e9`)
}

const ends: Readonly<Record<string, (world: World, id: string) => Promise<unknown>>> = {
  'its keeper ends it': async ({ dora }, id) => await dora.do('mirrors.delete', { id }),
  'its keeper ends the relationship': async ({ channel, dora }) =>
    await dora.do('accesses.delete', { id: channel.id }),
  'its owner revokes it': async ({ grantId, paul }) => await paul.do('accesses.delete', { id: grantId })
}

for (const [name, end] of rotate(t, Object.entries(ends)))
  t.test(`nothing of a copy is left after ${name}`, async t => {
    const world = await startWorld(t, { workers: 0 })
    const { requesterService } = world
    const { directory } = requesterService
    const id = await plant(world)
    await use(t, world)
    t.not(filesWith(directory, mark).length, 0)
    await end(world, id)
    await until(async () => {
      requesterService.clock.advance(100)
      return (await reaches(world, id, () => true)).state === 'erased'
    }, 'the erasure')
    await requesterService.server.close()
    t.same(filesWith(directory, mark), [])
  })
