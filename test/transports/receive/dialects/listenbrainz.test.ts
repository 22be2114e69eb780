import t from 'tap'
import { listenbrainz } from '../../../../transports/receive/dialects/listenbrainz.js'
import { answer, missed, noon, read, refused } from './reading.js'

const path = '1/submit-listens'
const listen = {
  listened_at: noon,
  track_metadata: {
    artist_name: 'Nina Simone',
    track_name: 'Sinnerman',
    release_name: 'Pastel Blues',
    additional_info: { duration_ms: 622_000, tracknumber: '9', recording_mbid: 'a1', tags: ['jazz'] }
  }
}

t.test('listens become pieces of music', t => {
  const reading = read(listenbrainz, { listen_type: 'single', payload: [listen] }, { path })
  t.match(reading.records, [
    {
      type: 'music/basic',
      stream: 'Music',
      source: 'phone',
      time: noon,
      duration: 622,
      content: { title: 'Sinnerman', artist: 'Nina Simone', album: 'Pastel Blues', track: 9, genre: 'jazz' },
      clientData: { 'listenbrainz:info': { recording_mbid: 'a1' } }
    }
  ])
  t.equal(reading.received, 1)
  t.end()
})

t.test('what is being played is not stored, and bad listens are counted', t => {
  const { track_metadata } = listen
  t.match(read(listenbrainz, { listen_type: 'playing_now', payload: [{ track_metadata }] }, { path }), {
    records: [],
    received: 0
  })
  const payload = [
    listen,
    { track_metadata },
    { ...listen, track_metadata: { artist_name: 'X' } },
    null,
    'x',
    []
  ]
  const reading = read(listenbrainz, { listen_type: 'import', payload }, { path })
  t.equal(reading.records.length, 1)
  t.same(missed(reading), { listen: 5 })
  t.end()
})

t.test('players are answered as by ListenBrainz', t => {
  t.same(answer(listenbrainz, { listen_type: 'single', payload: [listen] }, { path }), {
    status: 200,
    body: { status: 'ok' }
  })
  t.match(answer(listenbrainz, '', { method: 'GET', path: '1/validate-token' }), {
    status: 200,
    body: { code: 200, valid: true, message: 'Token valid.' }
  })
  t.match(answer(listenbrainz, '', { method: 'GET', path: '1/user/x/listens' }), { status: 404 })
  const tooMany = { listen_type: 'import', payload: Array.from({ length: 1001 }, () => listen) }
  for (const body of [
    tooMany,
    {},
    { payload: [] },
    { listen_type: 'single' },
    { listen_type: 'x', payload: [] },
    '{',
    '[]'
  ])
    refused(t, listenbrainz, body, { path })
  t.end()
})
