import t from 'tap'
import { wakatime } from '../../../../transports/receive/dialects/wakatime.js'
import { answer, missed, noon, read, refused } from './reading.js'

const path = 'api/v1/users/current/heartbeats.bulk'
const beat = (seconds: number, fields: object = {}): object => ({
  entity: '/home/daisy/coffer/main.ts',
  type: 'file',
  category: 'coding',
  project: 'coffer',
  language: 'TypeScript',
  time: noon + seconds + 0.25,
  ...fields
})

t.test('heartbeats of a project less than 15 minutes apart are one activity', t => {
  const beats = [
    beat(600, { language: 'JSON' }),
    beat(0),
    beat(1499),
    beat(2399),
    beat(10, { project: 'other' }),
    beat(20, { project: null })
  ]
  const reading = read(wakatime, beats, { path, headers: { 'x-machine-name': 'laptop' } })
  t.match(
    reading.records.map(({ description, duration, time }) => [description, time - noon - 0.25, duration]),
    [
      ['coffer', 0, 1499],
      ['coffer', 2399, 0],
      ['other', 10, 0],
      [undefined, 20, 0]
    ]
  )
  t.match(reading.records[0], {
    type: 'activity/plain',
    stream: 'Programming',
    source: 'laptop',
    joinWithin: 900,
    clientData: { 'wakatime:languages': ['JSON', 'TypeScript'] }
  })
  t.notMatch(JSON.stringify(reading.records), /main\.ts/, 'paths of files are not stored')
  t.equal(reading.received, 6)
  t.end()
})

t.test('plugins are answered one by one', t => {
  t.same(answer(wakatime, [beat(0), {}], { path }), {
    status: 202,
    body: {
      responses: [
        [{ data: null }, 201],
        [{ data: null }, 201]
      ]
    }
  })
  t.same(answer(wakatime, beat(0), { path: 'users/current/heartbeats' }), {
    status: 201,
    body: { data: null }
  })
  t.match(answer(wakatime, '', { method: 'GET', path: 'users/current/statusbar/today' }), { status: 200 })
  t.match(answer(wakatime, '', { method: 'GET', path: 'users/current' }), { status: 404 })
  t.end()
})

t.test('bad heartbeats are counted', t => {
  const bad = [{}, null, 1, beat(0, { time: 'now' }), beat(0, { time: -5 }), beat(0, { entity: 1 })]
  const reading = read(wakatime, [beat(0), ...bad], { path })
  t.equal(reading.records.length, 1)
  t.same(missed(reading), { heartbeat: 6 })
  for (const body of ['', '{', '"x"', 'null']) refused(t, wakatime, body, { path })
  t.end()
})
