/** Events exported as a table, JSON or NDJSON can be imported unchanged. */
import t from 'tap'
import { collected } from '../../imports/collecting.js'
import { coffer, type Client } from '../../support/coffer.js'

async function exported({ service, token, username }: Client, query: string): Promise<string> {
  const url = `${service.server.url}/${username}/events/export?${query}`
  const response = await fetch(url, { headers: { authorization: token } })
  return await response.text()
}

t.test(
  'exported events keep values, types, times and streams, and are recognised when imported again',
  async t => {
    const { alice } = await coffer(t)
    await alice.do('streams.create', { id: 'health', name: 'Health' })
    await alice.do('streams.create', { id: 'weight', name: 'Weight', parentId: 'health' })
    const events = [
      { type: 'mass/kg', content: 71.25, time: 1714540500.125 },
      {
        type: 'blood-pressure/mmhg-bpm',
        content: { systolic: 120, diastolic: 80, rate: 60 },
        time: 1714540501
      },
      { type: 'note/txt', content: '=1+1', time: 1714540502 },
      { type: 'note/txt', content: '12, "34"\n5', time: 1714540503 },
      { type: 'note/txt', content: '007', time: 1714540504 },
      { type: 'sleep/analysis', content: { analysis: 'asleep' }, time: 1714540505, duration: 3600 },
      { type: 'boolean/bool', content: false, time: 1714540506 },
      { type: 'activity/plain', time: 1714540507, duration: 60, description: '-5 °C, cold' }
    ]
    for (const event of events) await alice.do('events.create', { streamIds: ['weight'], ...event })
    for (const format of ['csv', 'json', 'ndjson']) {
      const text = await exported(alice, `format=${format}&streams=health&sortAscending=true`)
      const found = await collected(text, `alice.${format}`)
      t.same(found.formats, ['coffer'])
      t.same(
        found.data.map(({ content, description, duration, time, type }) => ({
          type,
          content,
          time,
          duration,
          description
        })),
        events.map(
          ({
            content,
            description,
            duration,
            time,
            type
          }: {
            content?: unknown
            description?: string
            duration?: number
            time: number
            type: string
          }) => ({ type, content, time, duration, description })
        ),
        format
      )
      t.same(
        [...new Set(found.data.map(({ path, stream }) => [...(path ?? []), stream].join('/')))],
        [format === 'csv' ? 'Health/Weight' : 'weight']
      )
      t.equal(new Set(found.data.map(({ identity }) => identity)).size, events.length)
      t.same(found.leftOut, {})
      t.same((await collected(text)).data, found.data)
    }
  }
)
