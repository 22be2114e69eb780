/** Measures with tens of thousands of sources are read in short steps. */
import t from 'tap'
import { openCoffer, type Client } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'

const sources = 20_000
const start = Date.UTC(2026, 2, 1) / 1000

/** Adds streams with one weight each. */
async function addSources(alice: Client): Promise<void> {
  const ids = Array.from({ length: sources }, (_, index) => `s${index}`)
  for (let from = 0; from < sources; from += 500) {
    const some = ids.slice(from, from + 500)
    await alice.do('callBatch', [
      ...some.map(id => ({ method: 'streams.create', params: { id, name: id } })),
      ...some.map((id, index) => ({
        method: 'events.create',
        params: { streamIds: [id], type: 'mass/kg', content: 60 + (index % 7), time: start + index }
      }))
    ])
  }
}

t.test('measures with tens of thousands of sources are read in short steps', async t => {
  const { alice, server } = await openCoffer(t)
  await addSources(alice)
  // What the client gets is not parsed within the measured time.
  const read = async (path: string): Promise<string> => {
    const headers = { authorization: alice.token }
    return await (await fetch(`${server.url}/${alice.username}/measures/${path}`, { headers })).text()
  }
  const range = `measure=weight&fromTime=${start}&toTime=${start + 86_400}`
  const found: Readonly<Record<string, string>> = {
    facts: await read('facts'),
    [`sample?${range}&parts=10`]: `{"samples":[{"time":${start},"count":`,
    [`sample?${range}&parts=10&merge=each`]: '{"sources":[{"streamId":"s0","samples":[{',
    'days?measure=weight&from=2026-03-01&to=2026-03-02': '{"days":[{'
  }
  t.equal(JSON.parse(found['facts']!).facts[0].sources.length, sources)
  t.match(found['facts'], `{"facts":[{"measure":"weight","count":${sources},"first":${start},`)
  for (const [path, text] of Object.entries(found))
    await t.test(path.split('&')[0]!, async t => {
      t.ok((await read(path)).startsWith(text.slice(0, 30)), path)
      await assertTakesLessThan(t, 40, async () => await longestTurn(async () => await read(path)))
    })
})
