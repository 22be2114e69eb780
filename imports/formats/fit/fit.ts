/** FIT: activities, weights and days of watches, bicycle computers and scales. */
import { Unreadable, type Format, type Sink } from '../record.js'
import { isFit, messagesOf, type FitMessage } from './fit-messages.js'
import { Track } from './tracks.js'

/** Bytes of the largest file that is read: a day of a second's records has about 3 MB. */
const largest = 16 * 1024 * 1024
/** Seconds from 1970 to the first of FIT's. */
const epoch = 631_065_600

export const fit: Format = {
  id: 'fit',
  name: 'FIT',
  recognises: ({ bytes }) => isFit(bytes),
  async read(source, _head, sink) {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of source.bytes()) {
      if ((size += chunk.length) > largest) throw new Unreadable('It is larger than FIT files are')
      chunks.push(chunk)
    }
    const messages = messagesOf(Buffer.concat(chunks))
    const reader = new Reader(sink)
    for (let count = 1; ; count++) {
      const { done, value } = messages.next()
      if (done) {
        reader.end()
        if (value.isCutOff) sink.warn('A FIT file is cut off or damaged: what is whole was read')
        if (value.hasWrongChecksum)
          sink.warn('A FIT file does not match its checksum: some of it may be wrong')
        return
      }
      if (value === 'file') reader.begin()
      else reader.message(value)
      if (count % 1000 === 0) await sink.drained()
    }
  }
}

const sports: Readonly<Record<number, string>> = {
  0: 'Activity',
  1: 'Running',
  2: 'Cycling',
  3: 'Transition',
  4: 'Fitness equipment',
  5: 'Swimming',
  6: 'Basketball',
  7: 'Soccer',
  8: 'Tennis',
  10: 'Training',
  11: 'Walking',
  12: 'Cross country skiing',
  13: 'Alpine skiing',
  14: 'Snowboarding',
  15: 'Rowing',
  16: 'Mountaineering',
  17: 'Hiking',
  18: 'Multisport',
  19: 'Paddling',
  21: 'E-biking'
}
/** Sports on foot: their steps are counted as strides. */
const onFoot = new Set([1, 11, 17])

class Reader {
  #track: Track
  #source = ''
  /** Times of records that were there before, with how many. */
  #last = NaN
  #same = 0

  constructor(private readonly sink: Sink) {
    this.#track = new Track(sink, '')
  }

  begin(): void {
    this.#source = ''
    this.#track = new Track(this.sink, '')
    this.#track.begin()
  }

  end(): void {
    this.#track.begin()
  }

  message(message: FitMessage): void {
    const { number } = message
    if (number === 0) this.#file(message)
    else if (number === 20) this.#record(message)
    else if (number === 18) this.#session(message)
    else if (number === 30) this.#weight(message)
    else if (number === 55) this.#monitoring(message)
    else if (number === 78) this.#variability(message)
  }

  #file({ fields }: FitMessage): void {
    const [maker, product, serial] = [1, 2, 3].map(each => fields.get(each))
    const name = fields.get(8)
    this.#source =
      typeof name === 'string'
        ? name
        : serial === undefined
          ? ''
          : [makers[Number(maker)] ?? `Maker ${Number(maker)}`, product, serial]
              .filter(part => part !== undefined)
              .join(' ')
    this.#track = new Track(this.sink, this.#source)
    this.#track.begin()
  }

  #record({ fields, timestamp }: FitMessage): void {
    const time = timestamp === undefined ? NaN : timestamp + epoch
    const [latitude, longitude] = [0, 1].map(each => degrees(numberIn(fields, each)))
    const altitude = scale(numberIn(fields, 78) ?? numberIn(fields, 2), 5, -500)
    const speed = scale(numberIn(fields, 73) ?? numberIn(fields, 6), 1000)
    if (latitude === undefined && longitude === undefined && numberIn(fields, 3) === undefined) {
      this.sink.leftOut('record', 'without a position or heart rate')
      return
    }
    // Several records of one second are apart by a part of it.
    this.#same = time === this.#last ? this.#same + 1 : 0
    this.#last = time
    this.#track.add({
      kind: 'record',
      time: this.#same === 0 ? time : time + Math.min(0.9, this.#same / 10),
      ...((latitude !== undefined || longitude !== undefined) && {
        latitude: latitude ?? NaN,
        longitude: longitude ?? NaN
      }),
      altitude,
      speed,
      heartRate: numberIn(fields, 3)
    })
  }

  #session({ fields, timestamp }: FitMessage): void {
    const start = numberIn(fields, 2)
    const from = (start ?? timestamp ?? NaN) + epoch
    const seconds = scale(numberIn(fields, 7), 1000) ?? 0
    const sport = numberIn(fields, 5) ?? 0
    const cycles = numberIn(fields, 10)
    const session: Record<string, unknown> = { sport: sports[sport] ?? String(sport), seconds }
    put(session, 'metres', scale(numberIn(fields, 9), 100))
    put(session, 'kilocalories', numberIn(fields, 11))
    put(session, 'averageHeartRate', numberIn(fields, 16))
    put(session, 'maximalHeartRate', numberIn(fields, 17))
    if (cycles !== undefined)
      session[onFoot.has(sport) ? 'steps' : 'cycles'] = onFoot.has(sport) ? cycles * 2 : cycles
    this.#track.activity('session', sports[sport] ?? 'Activity', from, from + seconds, {
      'fit:session': session
    })
  }

  #weight({ fields, timestamp }: FitMessage): void {
    const kilograms = scale(numberIn(fields, 0), 100)
    if (kilograms === undefined || timestamp === undefined) {
      this.sink.leftOut('weight_scale', 'without a number')
      return
    }
    const [source, time] = [this.#source, timestamp + epoch]
    this.sink.datum({
      kind: 'weight_scale',
      source,
      type: 'mass/kg',
      stream: 'Weight',
      time,
      content: kilograms
    })
    const fat = scale(numberIn(fields, 1), 100)
    if (fat !== undefined)
      this.sink.datum({
        kind: 'weight_scale body fat',
        source,
        type: 'ratio/percent',
        stream: 'Body fat',
        time,
        content: fat
      })
  }

  /** Times of days are sent in parts: the lower half of one, which goes on from the whole one before. */
  #clock = 0

  #monitoring({ fields, timestamp }: FitMessage): void {
    if (timestamp !== undefined) this.#clock = timestamp
    const half = numberIn(fields, 26)
    if (half !== undefined) this.#clock += (half - (this.#clock & 0xffff) + 0x1_0000) & 0xffff
    const time = this.#clock + epoch
    const source = this.#source
    const heartRate = numberIn(fields, 27)
    const kind = 'monitoring'
    const cycles = numberIn(fields, 3)
    const activity = numberIn(fields, 5)
    if (this.#clock === 0) this.sink.leftOut(kind, 'without a time')
    else if (heartRate !== undefined && heartRate > 0)
      this.sink.datum({ kind, source, type: 'frequency/bpm', stream: 'Heart rate', time, content: heartRate })
    else if (cycles !== undefined && (activity === 1 || activity === 6))
      // A sum since midnight, in halves: a running total, not an interval.
      this.sink.datum({
        kind,
        source,
        type: 'count/steps',
        stream: 'Steps of the day so far',
        time,
        content: Math.round(cycles)
      })
    else this.sink.leftOut(kind, 'without a heart rate or steps')
  }

  #variability({ fields }: FitMessage): void {
    const times = fields.get(0)
    const list = typeof times === 'number' ? [times] : Array.isArray(times) ? (times as number[]) : []
    const time = this.#last
    if (Number.isNaN(time) || list.length === 0) {
      this.sink.leftOut('hrv', 'without a time')
      return
    }
    for (const [at, value] of list.entries())
      if (!Number.isNaN(value))
        this.sink.datum({
          kind: 'hrv',
          source: this.#source,
          type: 'time/ms',
          stream: 'Beat to beat intervals',
          time: time + at / 1000,
          content: value
        })
  }
}

const makers: Readonly<Record<number, string>> = {
  1: 'Garmin',
  23: 'Suunto',
  32: 'Wahoo',
  123: 'Polar',
  260: 'Zwift',
  289: 'Hammerhead',
  294: 'Coros'
}

function numberIn(fields: FitMessage['fields'], field: number): number | undefined {
  const value = fields.get(field)
  if (typeof value === 'number') return value
  return Array.isArray(value) && typeof value[0] === 'number' && !Number.isNaN(value[0])
    ? value[0]
    : undefined
}

/** Semicircles as degrees. */
function degrees(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Number(((value * 180) / 2 ** 31).toFixed(7))
}

function scale(value: number | undefined, by: number, offset = 0): number | undefined {
  return value === undefined ? undefined : Number((value / by + offset).toFixed(4))
}

function put(target: Record<string, unknown>, name: string, value: number | undefined): void {
  if (value !== undefined) target[name] = value
}
