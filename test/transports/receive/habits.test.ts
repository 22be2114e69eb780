/** Sleep as Android, ListenBrainz and WakaTime, from request to stored values. */
import t from 'tap'
import { coffer, type Answer } from '../../support/coffer.js'
import { connect, events, look, send } from './connecting.js'

/** 2026-11-26T12:00:00Z */
const noon = 1_795_694_400

t.test('sleep-as-android: tracking becomes one night, however often it is sent', async t => {
  const service = await coffer(t)
  const { alice, clock } = service
  const { id, url } = await connect(alice, 'sleep-as-android')
  t.match(url, /\/from\/sleep-as-android\/~c/)
  const put = async (event: string): Promise<void> =>
    void t.equal(
      (await fetch(url, { method: 'POST', body: JSON.stringify({ event, value1: '' }) })).status,
      200
    )
  const start = clock.now()
  await put('sleep_tracking_started')
  await put('sleep_tracking_started')
  t.match(await events(alice), [{ type: 'sleep/analysis', duration: null }])
  clock.advance(8 * 3600)
  await put('sleep_tracking_stopped')
  const night = { type: 'sleep/analysis', time: start, content: { analysis: 'inBed' } }
  const [stored, ...others] = await events(alice)
  t.match(stored, night)
  t.ok(Math.abs(stored.duration - 8 * 3600) < 60)
  t.same(others, [])
  await put('sleep_tracking_stopped')
  t.equal((await events(alice)).length, 1)
  t.match(await look(alice, { id }), { received: 4, notUnderstood: { sleep_tracking_stopped: 1 } })
  clock.advance(16 * 3600)
  await put('sleep_tracking_started')
  await put('rem')
  t.match((await events(alice)).slice(1), [{ duration: null }, { type: 'note/txt', content: 'rem' }])
})

t.test('sleep-as-android: a night that the user has edited ends, and stays as edited', async t => {
  const { alice, clock } = await coffer(t)
  const { url } = await connect(alice, 'sleep-as-android')
  const put = async (event: string, time: number): Promise<void> => {
    const body = JSON.stringify({ event, value1: `${time}000` })
    t.equal((await fetch(url, { method: 'POST', body })).status, 200)
  }
  const start = Math.floor(clock.now())
  await put('sleep_tracking_started', start)
  const [{ id, streamIds, type }] = await events(alice)
  clock.advance(60)
  await alice.do('events.update', { id, update: { content: { analysis: 'awake' }, description: 'late' } })
  const own = { type, streamIds, content: { analysis: 'inBed' } }
  await alice.do('events.create', { ...own, time: start + 30, duration: null })
  clock.advance(8 * 3600)
  await put('sleep_tracking_stopped', start + 8 * 3600)
  const ended = {
    time: start,
    duration: 8 * 3600,
    content: { analysis: 'awake' },
    description: 'late'
  }
  t.match(await events(alice), [ended, { time: start + 30, duration: null }])
  // The app repeats what it could not send.
  await put('sleep_tracking_started', start)
  t.match(await events(alice), [ended, { duration: null }], 'it is still the user’s')
})

t.test('listenbrainz: listens are stored once', async t => {
  const { alice } = await coffer(t)
  const { token } = await connect(alice, 'listenbrainz')
  const base = `${alice.service.server.url}/${alice.username}/from/listenbrainz/1`
  const headers = { authorization: `Token ${token}` }
  t.match(await (await fetch(`${base}/validate-token`, { headers })).json(), { code: 200, valid: true })
  t.equal((await fetch(`${base}/validate-token`, { headers: { authorization: 'Token wrong' } })).status, 401)
  const listen = (seconds: number, track_name: string): object => ({
    listened_at: noon + seconds,
    track_metadata: { artist_name: 'Nina Simone', track_name, additional_info: { duration_ms: 180_000 } }
  })
  const submit = async (listen_type: string, ...payload: object[]): Promise<Answer> => {
    const body = JSON.stringify({ listen_type, payload })
    return await (await fetch(`${base}/submit-listens`, { method: 'POST', headers, body })).json()
  }
  t.same(await submit('playing_now', { track_metadata: {} }), { status: 'ok' })
  t.same(await submit('single', listen(0, 'Sinnerman')), { status: 'ok' })
  const many = Array.from({ length: 1000 }, (_, index) =>
    listen(index * 200, index === 0 ? 'Sinnerman' : `Song ${index}`)
  )
  for (let round = 0; round < 2; round++) t.same(await submit('import', ...many), { status: 'ok' })
  const stored = await events(alice)
  t.equal(stored.length, 1000)
  t.match(stored[0], {
    type: 'music/basic',
    time: noon,
    duration: 180,
    content: { artist: 'Nina Simone', title: 'Sinnerman' }
  })
})

t.test('wakatime: heartbeats join across requests, also late ones', async t => {
  const { alice } = await coffer(t)
  const { token } = await connect(alice, 'wakatime')
  const base = `${alice.service.server.url}/${alice.username}/from/wakatime/api/v1/users/current`
  const headers = {
    authorization: `Basic ${Buffer.from(token).toString('base64')}`,
    'x-machine-name': 'laptop'
  }
  const put = async (...minutes: number[]): Promise<Response> => {
    const beats = minutes.map(minute => ({
      entity: '/a.ts',
      type: 'file',
      project: 'coffer',
      language: minute === 10 ? 'JSON' : 'TypeScript',
      time: noon + minute * 60
    }))
    return await fetch(`${base}/heartbeats.bulk`, { method: 'POST', headers, body: JSON.stringify(beats) })
  }
  const spans = async (): Promise<unknown[]> =>
    (await events(alice)).map(({ duration, time }) => [(time - noon) / 60, (duration ?? 0) / 60])
  const response = await put(0, 10)
  t.equal(response.status, 202)
  t.equal(((await response.json()) as Answer).responses.length, 2)
  await put(14)
  await put(14)
  t.same(await spans(), [[0, 14]])
  await put(40)
  await put(54)
  t.same(await spans(), [
    [0, 14],
    [40, 14]
  ])
  await put(27)
  t.same(await spans(), [[0, 54]], 'a late heartbeat closes the gap')
  const [event] = await events(alice)
  t.match(event, {
    type: 'activity/plain',
    description: 'coffer',
    clientData: { 'wakatime:languages': ['JSON', 'TypeScript'] }
  })
  const single = await fetch(`${base}/heartbeats`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ entity: 'a', time: noon })
  })
  t.equal(single.status, 201)
  t.equal((await events(alice)).length, 2)
})

t.test('a token of one dialect at the address of another is refused', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'wakatime')
  t.equal((await send(alice, 'hc-webhook', connection, {})).status, 401)
})
