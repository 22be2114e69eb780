/** Receives messages of OwnTracks in its HTTP mode. (https://owntracks.org/booklet/tech/json/) */
import { createHash } from 'node:crypto'
import nacl from 'tweetnacl'
import { getList, getNumber, getText, isObject, type Json } from '../../imports/formats/json-files.js'
import { scaleValue } from '../../imports/text/units.js'
import type { ConnectionSettings, Dialect, ReceivedRecord } from './dialect.js'
import { fail } from '../../core/errors.js'
import { parseJsonBody, ReadingBuilder, toBattery, toPosition } from './reading-builder.js'

export const owntracks: Dialect = {
  id: 'owntracks',
  name: 'OwnTracks',
  read({ body, connection, now }) {
    const reading = new ReadingBuilder()
    const parsed = parseJsonBody(body)
    // Apps also send empty bodies.
    const messages = parsed === undefined ? [] : Array.isArray(parsed) ? parsed : [parsed]
    if (!messages.every(isObject)) fail('invalid-request-structure', 'A message must be a JSON object')
    for (const message of messages) new MessageReader(reading, connection, now).read(message)
    return reading
  },
  answer: () => ({ status: 200, body: [] }),
  presentFriend({ position, time, username }) {
    const { altitude, bearing, horizontalAccuracy, latitude, longitude, speed } = position
    const topic = `owntracks/${username}/phone`
    const tid = username.slice(0, 2).toUpperCase()
    const location = {
      _type: 'location',
      topic,
      tid,
      tst: Math.floor(time),
      lat: latitude,
      lon: longitude,
      ...(typeof horizontalAccuracy === 'number' && { acc: Math.round(horizontalAccuracy) }),
      ...(typeof altitude === 'number' && { alt: Math.round(altitude) }),
      ...(typeof bearing === 'number' && { cog: Math.round(bearing) }),
      // Kilometres per hour.
      ...(typeof speed === 'number' && { vel: Math.round(speed * 3.6) })
    }
    return [location, { _type: 'card', topic, tid, name: username }]
  }
}

class MessageReader {
  constructor(
    private readonly reading: ReadingBuilder,
    private readonly connection: ConnectionSettings,
    private readonly now: number
  ) {}

  /** Reads a message. Messages without data, such as `lwt` and `status`, are only counted. */
  read(message: Json): void {
    const kind = getText(message, '_type') ?? 'message'
    if (kind !== 'waypoints') this.reading.received++
    if (kind === 'location') this.#addLocation(message)
    else if (kind === 'transition') this.#addTransition(message)
    else if (kind === 'waypoint') this.#addWaypoint(message)
    else if (kind === 'waypoints') this.#addWaypoints(message)
    else if (kind === 'steps') this.#addSteps(message)
    else if (kind === 'encrypted') this.#addEncrypted(message)
    else this.reading.skip(kind)
  }

  #getSource(message: Json): string {
    return getText(message, 'tid') ?? this.connection.name
  }

  /** Adds a position with its air pressure, battery level, place and image, or counts it as skipped. */
  #addLocation(message: Json): void {
    const time = getNumber(message, 'tst')
    const kilometresPerHour = getNumber(message, 'vel')
    const content = toPosition({
      latitude: getNumber(message, 'lat'),
      longitude: getNumber(message, 'lon'),
      altitude: getNumber(message, 'alt'),
      horizontalAccuracy: getNumber(message, 'acc'),
      verticalAccuracy: getNumber(message, 'vac'),
      bearing: getNumber(message, 'cog'),
      speed: kilometresPerHour === undefined ? undefined : scaleValue(kilometresPerHour, 1 / 3.6)
    })
    if (time === undefined || !content) {
      this.reading.skip('location')
      return
    }
    const source = this.#getSource(message)
    const base = { source, time }
    const type = 'position/wgs84'
    this.reading.add({ ...base, kind: 'location', type, stream: 'Positions', content, isFrequent: true })
    const pressure = getNumber(message, 'p')
    if (pressure !== undefined)
      this.reading.add({
        ...base,
        kind: 'location pressure',
        type: 'pressure/kpa',
        stream: 'Air pressure',
        content: pressure,
        isFrequent: true
      })
    const battery = getNumber(message, 'batt')
    if (battery !== undefined && battery >= 0)
      this.reading.add(toBattery('location battery', source, time, battery))
    const { latitude, longitude } = content
    const place = getText(message, 'poi')
    if (place !== undefined)
      this.reading.add({
        ...base,
        kind: 'location poi',
        type,
        stream: 'Places',
        isEvent: true,
        content: { latitude, longitude },
        identity: place,
        description: place
      })
    this.#addImage(message, base, place)
  }

  /** Adds the picture that was taken at a place. */
  #addImage(
    message: Json,
    base: Pick<ReceivedRecord, 'source' | 'time'>,
    description: string | undefined
  ): void {
    const image = getText(message, 'image')
    if (image === undefined) return
    const bytes = Buffer.from(image, 'base64')
    const type = detectImageType(bytes)
    if (type === undefined) {
      this.reading.skip('location image')
      return
    }
    const key = createHash('sha256').update(bytes).digest('hex')
    this.reading.add({
      ...base,
      kind: 'location image',
      type: 'picture/attached',
      stream: 'Pictures',
      isEvent: true,
      identity: key,
      description,
      files: [{ key, fileName: getText(message, 'imagename') ?? 'picture', type }],
      fileBytes: new Map([[key, bytes]])
    })
  }

  /** Adds that a region was entered or left. */
  #addTransition(message: Json): void {
    const time = getNumber(message, 'tst')
    const event = getText(message, 'event')
    const content = toPosition({
      latitude: getNumber(message, 'lat'),
      longitude: getNumber(message, 'lon'),
      horizontalAccuracy: getNumber(message, 'acc')
    })
    if (time === undefined || (event !== 'enter' && event !== 'leave')) {
      this.reading.skip('transition')
      return
    }
    const name = getText(message, 'desc') ?? ''
    this.reading.add({
      kind: 'transition',
      source: this.#getSource(message),
      time,
      ...(content ? { type: 'position/wgs84', content } : { type: 'activity/plain' }),
      stream: event === 'enter' ? 'Arrivals' : 'Departures',
      isEvent: true,
      identity: `${event} ${getText(message, 'rid') ?? name}`,
      description: name === '' ? undefined : name,
      clientData: { 'owntracks:event': event }
    })
  }

  #addWaypoints(message: Json): void {
    for (const waypoint of getList(message, 'waypoints')) {
      this.reading.received++
      if (isObject(waypoint)) this.#addWaypoint(waypoint)
      else this.reading.skip('waypoint')
    }
  }

  /** Adds a place that the user has defined. Its time of creation identifies it, so that a change becomes a new version. */
  #addWaypoint(message: Json): void {
    const time = getNumber(message, 'tst')
    const content = toPosition({ latitude: getNumber(message, 'lat'), longitude: getNumber(message, 'lon') })
    if (time === undefined || !content) {
      this.reading.skip('waypoint')
      return
    }
    const radius = getNumber(message, 'rad')
    this.reading.add({
      kind: 'waypoint',
      source: this.#getSource(message),
      time,
      type: 'position/wgs84',
      stream: 'Places',
      isEvent: true,
      content,
      identity: getText(message, 'rid') ?? 'waypoint',
      description: getText(message, 'desc'),
      ...(radius !== undefined && radius > 0 && { clientData: { 'owntracks:radius': radius } })
    })
  }

  /** Adds the steps of a period, or counts them as skipped. */
  #addSteps(message: Json): void {
    const [from, to] = [getNumber(message, 'from'), getNumber(message, 'to')]
    const count = getNumber(message, 'steps')
    // The phone has no step counter.
    if (count === -1) return
    if (from === undefined || to === undefined || count === undefined || count < 0 || to < from) {
      this.reading.skip('steps')
      return
    }
    this.reading.add({
      kind: 'steps',
      source: this.#getSource(message),
      type: 'count/steps',
      stream: 'Steps',
      time: from,
      duration: to - from,
      content: count
    })
  }

  /** Reads the message in an encrypted payload; stores the payload if it cannot be decrypted. */
  #addEncrypted(message: Json): void {
    const data = getText(message, 'data')
    if (data === undefined) {
      this.reading.skip('encrypted')
      return
    }
    const inner = decrypt(data, this.connection.passphrase)
    if (isObject(inner) && inner['_type'] !== 'encrypted') {
      this.reading.received--
      this.read(inner)
      return
    }
    this.reading.add({
      kind: 'encrypted',
      source: this.#getSource(message),
      type: 'encrypted/aes-text-base64',
      stream: 'Encrypted messages',
      isEvent: true,
      isUndated: true,
      identity: data,
      time: this.now,
      content: { payload: data, hint: 'OwnTracks: XSalsa20 and Poly1305, as crypto_secretbox of libsodium' }
    })
  }
}

/** Returns the type of an image, by its first bytes. */
function detectImageType(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg'
  if (bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))) return 'image/png'
  return bytes.subarray(4, 12).toString('latin1').startsWith('ftyphei') ? 'image/heic' : undefined
}

/** Sizes of keys, nonces and authentication tags, in bytes. */
const keySize = 32
const nonceSize = 24
const tagSize = 16

/** Returns the message in a payload: a nonce and a secret box, in Base64; `undefined` if it cannot be opened. */
function decrypt(data: string, passphrase: string | undefined): unknown {
  const bytes = Buffer.from(data, 'base64')
  if (passphrase === undefined || bytes.length < nonceSize + tagSize) return undefined
  const key = new Uint8Array(keySize)
  key.set(Buffer.from(passphrase).subarray(0, keySize))
  const opened = nacl.secretbox.open(bytes.subarray(nonceSize), bytes.subarray(0, nonceSize), key)
  if (!opened) return undefined
  try {
    return JSON.parse(Buffer.from(opened).toString())
  } catch {
    return undefined
  }
}
