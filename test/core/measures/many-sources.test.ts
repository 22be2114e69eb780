/** Measures with tens of thousands of sources, and exports of them, are read in short steps, and what is kept of each source is counted. */
import t from 'tap'
import { createId } from '../../../core/ids.js'
import { createSlotGrid, listDays } from '../../../core/measures/grids.js'
import { mergeSums } from '../../../core/measures/merge-sums.js'
import type { Server } from '../../../server/server.js'
import { ValueCells } from '../../../storage/measures/value-cells.js'
import { openCoffer, type Client } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import { inRotation } from '../../support/rotation.js'

/** A turn took up to 60 ms when all sources were sorted, or written, at once. */
const sources = 15_000
const limitMs = 36
const start = Date.UTC(2026, 2, 1) / 1000

/** Adds streams with one weight, one night and one number of no measure each, written as one change: thousands of calls take longer than what is measured. */
async function addSources(alice: Client, { services }: Server): Promise<void> {
  const store = services.accounts.openStore(services.accounts.find(alice.username)!)
  const by = { created: start, createdBy: 'system', modified: start, modifiedBy: 'system' }
  await store.write(() => {
    for (let index = 0; index < sources; index++) {
      const id = `s${index}`
      store.streams.insert({ id, name: id, parentId: null, ...by })
      const weight = { type: 'mass/kg', content: 60 + (index % 7), time: start + index }
      store.events.insert({ id: createId(), streamIds: [id], streamId: id, ...weight, ...by })
      const night = {
        type: 'sleep/analysis',
        content: { analysis: 'asleep' },
        time: start + index,
        duration: 600
      }
      store.events.insert({ id: createId(), streamIds: [id], streamId: id, ...night, ...by })
      const ratio = { type: 'ratio/percent', content: 50, time: start + index }
      store.events.insert({ id: createId(), streamIds: [id], streamId: id, ...ratio, ...by })
    }
  })
}

/** Reads an export as a folder until the first table begins: by then, all of them are known. */
async function readFolder({ service, token, username }: Client): Promise<void> {
  const headers = { authorization: token }
  const response = await fetch(`${service.server.url}/${username}/account/export?form=folder`, { headers })
  const reader = response.body!.getReader()
  for (let text = ''; !text.includes('Weight.csv');) {
    const { done, value } = await reader.read()
    if (done) throw new Error('The export has no table')
    text += Buffer.from(value).toString('latin1')
  }
  await reader.cancel()
}

t.test('measures with tens of thousands of sources are read in short steps', async t => {
  const { alice, server } = await openCoffer(t)
  await addSources(alice, server)
  // What the client gets is not parsed within the measured time.
  const read = async (path: string): Promise<string> => {
    const headers = { authorization: alice.token }
    return await (await fetch(`${server.url}/${alice.username}/measures/${path}`, { headers })).text()
  }
  const { accounts } = server.services
  const { measures } = accounts.openStore(accounts.find(alice.username)!)
  const next = measures.next.bind(measures)
  let held = 0
  measures.next = run => {
    const result = next(run)
    held = Math.max(held, run.held)
    return result
  }
  const range = `measure=weight&fromTime=${start}&toTime=${start + 86_400}`
  const begins: Readonly<Record<string, string>> = {
    facts: `{"facts":[{"measure":"weight","count":${sources},"first":${start},`,
    [`sample?${range}&parts=10`]: `{"samples":[{"time":${start},"count":`,
    [`sample?${range}&parts=10&merge=each`]: '{"sources":[{"streamId":"s0","samples":[{',
    'days?measure=weight&from=2026-03-01&to=2026-03-02': '{"days":[{',
    'days?measure=sleep&from=2026-03-01&to=2026-03-02': '{"days":[{'
  }
  const test = inRotation(t, 3)
  for (const [path, begin] of Object.entries(begins))
    await test(path.split('&from')[0]!, async t => {
      let text = ''
      held = 0
      await assertTakesLessThan(t, limitMs, async () => longestTurn(async () => (text = await read(path))))
      t.ok(text.startsWith(begin), path)
      t.ok(held >= 2 * sources, `${held} values in memory`)
      if (path === 'facts') t.equal(JSON.parse(text).facts[0].sources.length, sources)
    })
  await test('the tables of a folder', async t => {
    await assertTakesLessThan(t, 2 * limitMs, async () => longestTurn(async () => await readFolder(alice)))
  })
})

t.test('totals of the days of many sources are merged in short steps', t => {
  const days = listDays('UTC', 0, 3000)
  const grid = createSlotGrid(days)
  const sources = Array.from({ length: 10 }, (_, at) => {
    const values = new ValueCells(grid)
    const target = values.target(value => value, true)
    for (const time of days.starts.slice(0, -1))
      target.countEvent({ time, number: at }, 5000 + at, time + 86_000)
    return { streamId: `s${at}`, values: [values] }
  })
  let steps = 0
  for (const merging = mergeSums(sources, grid); ; steps++) {
    const { done, value } = merging.next()
    if (!done) continue
    t.equal(value.size, 3001)
    break
  }
  t.ok(steps >= 30, `${steps} steps of at most 1000 days`)
  t.end()
})
