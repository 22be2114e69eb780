/** Receives listens in the form of ListenBrainz. (https://listenbrainz.readthedocs.io/en/latest/users/json.html) */
import { fail } from '../../../core/errors.js'
import { getList, getMember, getNumber, getText, isObject } from '../../../imports/formats/json-files.js'
import type { Dialect, DialectAnswer, ReceivedRequest } from '../dialect.js'
import { parseJsonObject, ReadingBuilder } from '../reading-builder.js'

const submitPath = /^(?:1\/)?submit-listens$/
const validatePath = /^(?:1\/)?validate-token$/
/** Maximum number of listens of one request. */
const maxListens = 1000

export const listenbrainz: Dialect = {
  id: 'listenbrainz',
  name: 'ListenBrainz',
  read({ body, connection, path }) {
    const reading = new ReadingBuilder()
    if (!submitPath.test(path)) return reading
    const message = parseJsonObject(body)
    const type = getText(message, 'listen_type')
    const payload = getMember(message, 'payload')
    if (!Array.isArray(payload)) fail('invalid-request-structure', 'The body must have a list "payload"')
    if (payload.length > maxListens)
      fail('invalid-request-structure', `A request may have ${maxListens} listens at most`)
    // What is being played is sent again as a listen.
    if (type === 'playing_now') return reading
    if (type !== 'single' && type !== 'import')
      fail('invalid-request-structure', 'The "listen_type" must be "single", "playing_now" or "import"')
    for (const listen of payload) addListen(reading, listen, connection.name)
    return reading
  },
  answer: (request: ReceivedRequest): DialectAnswer => {
    const { connection, path } = request
    if (submitPath.test(path)) return { status: 200, body: { status: 'ok' } }
    if (validatePath.test(path))
      return {
        status: 200,
        body: { code: 200, message: 'Token valid.', valid: true, user_name: connection.name }
      }
    return { status: 404, body: { code: 404, error: 'Not found' } }
  }
}

/** Adds a listen, or counts it as skipped if it lacks time, artist or title. */
function addListen(reading: ReadingBuilder, listen: unknown, source: string): void {
  reading.received++
  const time = getNumber(listen, 'listened_at')
  const track = getMember(listen, 'track_metadata')
  const [artist, title] = [getText(track, 'artist_name'), getText(track, 'track_name')]
  if (time === undefined || !artist || !title) {
    reading.skip('listen')
    return
  }
  const info = getMember(track, 'additional_info')
  const album = getText(track, 'release_name')
  const number = getNumber(info, 'tracknumber')
  const seconds = getNumber(info, 'duration') ?? (getNumber(info, 'duration_ms') ?? 0) / 1000
  const genre = getList(info, 'tags').find(tag => typeof tag === 'string')
  reading.add({
    kind: 'listen',
    source,
    type: 'music/basic',
    stream: 'Music',
    isEvent: true,
    time,
    ...(seconds > 0 && { duration: seconds }),
    content: {
      title,
      artist,
      ...(album && { album }),
      ...(number !== undefined && Number.isInteger(number) && { track: number }),
      ...(genre !== undefined && { genre })
    },
    identity: `${artist}\n${title}`,
    ...(isObject(info) && { clientData: { 'listenbrainz:info': info } })
  })
}
