/** Facts of measures while events change between the slices of a call, and the units of latest values. */
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'

const start = Date.UTC(2026, 2, 1) / 1000
const streams = 400
/** After how many turns of the event loop the latest event is changed. */
const turns = [0, 1, 2, 3, 5, 8, 13]

/** Opens an account with steps in many streams, and a guest who may read all but one stream. */
async function openWorld(t: Test): Promise<{ alice: Client; guest: Client }> {
  const { alice } = await openCoffer(t)
  const ids = Array.from({ length: streams }, (_, index) => `s${index}`)
  await alice.do('callBatch', [
    ...['hidden', ...ids].map(id => ({ method: 'streams.create', params: { id, name: id } })),
    ...ids.map((id, index) => ({
      method: 'events.create',
      params: { streamIds: [id], type: 'count/steps', content: 1, time: start + index }
    }))
  ])
  const guest = await alice.grantAll([
    { streamId: '*', level: 'read' },
    { streamId: 'hidden', level: 'none' }
  ])
  return { alice, guest }
}

/** Reads the steps of a guest; `change` is called after some turns. The streams are read again. */
async function readWhile(
  { alice, guest }: { alice: Client; guest: Client },
  turn: number,
  change: (event: Answer) => Promise<unknown>
): Promise<Answer> {
  const event = await alice.event({
    streamIds: ['s0'],
    type: 'count/steps',
    content: 123,
    time: start + 90_000
  })
  const reading = guest.call('measures.facts', { measures: ['steps'] })
  for (let count = 0; count < turn; count++) await setImmediate()
  await change(event)
  const { error, facts } = await reading
  await alice.call('events.delete', { id: event.id })
  await alice.call('events.delete', { id: event.id })
  return error ?? facts[0].latest
}

t.test('the latest value is one that the caller may read, whatever changes meanwhile', async t => {
  const before = { content: 123, streamId: 's0', time: start + 90_000 }
  const after = { content: 1, streamId: `s${streams - 1}`, time: start + streams - 1 }
  const expect = (t: Test, latest: Answer, what: string): void => {
    const { content, streamId, time } = latest
    const found = JSON.stringify({ content, streamId, time })
    t.ok(
      [before, after].map(each => JSON.stringify(each)).includes(found),
      `${what}: ${JSON.stringify(latest)}`
    )
  }

  await t.test('moved to a hidden stream', async t => {
    for (const turn of turns) {
      // What is known of the streams is read again in a file that has just been opened.
      const world = await openWorld(t)
      const update = { streamIds: ['hidden'], content: 666 }
      const latest = await readWhile(world, turn, ({ id }) => world.alice.do('events.update', { id, update }))
      expect(t, latest, `after ${turn} turns`)
    }
  })

  await t.test('deleted, and its number used by another event', async t => {
    for (const turn of turns) {
      const world = await openWorld(t)
      const latest = await readWhile(world, turn, async ({ id }) => {
        await world.alice.do('events.delete', { id })
        await world.alice.do('events.delete', { id })
        const secret = { streamIds: ['hidden'], type: 'count/steps', content: 31_337, time: start }
        await world.alice.event(secret)
      })
      expect(t, latest, `after ${turn} turns`)
    }
  })
})
