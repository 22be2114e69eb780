/** Reads FIT files: activities, weights and daily monitoring of watches, bicycle computers and scales. */
import { Unreadable, type Format, type Sink } from '../../record.js'
import { Track } from '../tracks.js'
import { Beats } from './beats.js'
import { isFit, messagesOf, type FitMessage } from './messages.js'
import { Monitoring } from './monitoring.js'
import { isOfDevice, makers as manufacturers, messageName, onFoot, sports } from './names.js'
import { leaveOthers, listIn, numberIn, readValues, scale, timeIn } from './values.js'

/** Limit of a file in bytes. A day of records per second takes about 3 MB. */
const maxSize = 16 * 1024 * 1024

export const fit: Format = {
  id: 'fit',
  name: 'FIT',
  recognises: ({ bytes }) => isFit(bytes),
  async read(source, _head, sink) {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of source.bytes()) {
      if ((size += chunk.length) > maxSize) throw new Unreadable('It is larger than FIT files are')
      chunks.push(chunk)
    }
    const messages = messagesOf(Buffer.concat(chunks))
    let reader = new FitReader(sink, '')
    for (;;) {
      const { done, value } = messages.next()
      if (done) {
        if (value.isCutOff) sink.warn('A FIT file is cut off or damaged: what is whole was read')
        if (value.hasWrongChecksum)
          sink.warn('A FIT file does not match its checksum: some of it may be wrong')
        return
      }
      if (value === 'file') reader = new FitReader(sink, '')
      else if (value.number === 0) reader = new FitReader(sink, getSourceName(value), isCourse(value))
      else reader.read(value)
    }
  }
}

/** Returns the name of the device that wrote a file. */
function getSourceName({ fields }: FitMessage): string {
  const [maker, product, serial] = [1, 2, 3].map(each => fields.get(each))
  const name = fields.get(8)
  if (typeof name === 'string') return name
  if (serial === undefined) return ''
  const parts = [manufacturers[Number(maker)] ?? `Maker ${Number(maker)}`, product, serial]
  return parts.filter(part => part !== undefined).join(' ')
}

/** Returns true if a file contains a planned course. */
function isCourse({ fields }: FitMessage): boolean {
  return fields.get(0) === 6
}

/** Fields of record messages that are read. */
const recordFields = new Set([0, 1, 2, 3, 4, 5, 6, 7, 13, 31, 53, 73, 78, 99, 108])
/** Statuses of failed blood pressure measurements. */
const failedStatuses = new Set([1, 2, 3, 4])
const sleepStages: readonly string[] = ['', 'awake', 'light', 'deep', 'rem']

class FitReader {
  readonly #track: Track
  readonly #beats: Beats
  readonly #monitoring: Monitoring
  /** Time of the last message with a timestamp (seconds). */
  #now = NaN
  /** Time of the last record, and the number of records before it with that time. */
  #lastRecordTime = NaN
  #sameTimeCount = 0

  constructor(
    private readonly sink: Sink,
    private readonly source: string,
    private readonly isPlanned = false
  ) {
    this.#track = new Track(sink, source)
    this.#beats = new Beats(sink, source)
    this.#monitoring = new Monitoring(sink, source)
  }

  read(message: FitMessage): void {
    const { fields, number, timestamp } = message
    const time = timeIn(timestamp)
    if (!Number.isNaN(time)) this.#now = time
    if (number === 20) this.#addRecord(message, time)
    else if (number === 18) this.#addSession(message)
    else if (number === 51) this.#addPressure(message, time)
    else if (number === 55) this.#monitoring.read(message)
    else if (number === 78) this.#beats.intervals('hrv', listIn(fields, 0), this.#now)
    else if (number === 290)
      this.#beats.intervals('beat_intervals', listIn(fields, 1), time + (numberIn(fields, 0) ?? 0) / 1000)
    else if (number === 132) this.#beats.rates(message, this.#track)
    else if (number === 275) this.#addSleepLevel(message, time)
    else if (!readValues(message, this.source, this.sink))
      this.sink.leftOut(
        messageName(number),
        isOfDevice(number)
          ? 'about the file or the device, not a measurement'
          : 'of a kind without a type here'
      )
  }

  #addRecord(message: FitMessage, time: number): void {
    const { fields } = message
    if (this.isPlanned) {
      this.sink.leftOut('record', 'a place on a route that was planned')
      return
    }
    const [latitude, longitude] = [0, 1].map(each => toDegrees(numberIn(fields, each)))
    const cadence = numberIn(fields, 4)
    // Records of the same second get fractions of it.
    this.#sameTimeCount = time === this.#lastRecordTime ? this.#sameTimeCount + 1 : 0
    this.#lastRecordTime = time
    const fraction =
      this.#sameTimeCount < 10 ? this.#sameTimeCount / 10 : Math.min(0.99, 0.9 + this.#sameTimeCount / 10_000)
    this.#track.add({
      kind: 'record',
      time: time + fraction,
      ...((latitude !== undefined || longitude !== undefined) && {
        latitude: latitude ?? NaN,
        longitude: longitude ?? NaN
      }),
      altitude: scale(numberIn(fields, 78) ?? numberIn(fields, 2), 5, -500),
      speed: scale(numberIn(fields, 73) ?? numberIn(fields, 6), 1000),
      horizontalAccuracy: numberIn(fields, 31),
      heartRate: numberIn(fields, 3),
      cadence: cadence === undefined ? undefined : scale((numberIn(fields, 53) ?? 0) / 128 + cadence, 1),
      power: numberIn(fields, 7),
      temperature: numberIn(fields, 13),
      respiration: scale(numberIn(fields, 108), 100) ?? numberIn(fields, 99),
      distance: scale(numberIn(fields, 5), 100)
    })
    leaveOthers(message, recordFields, this.sink)
  }

  #addSession({ fields, timestamp }: FitMessage): void {
    const from = timeIn(numberIn(fields, 2) ?? timestamp)
    const seconds = scale(numberIn(fields, 7), 1000) ?? 0
    const sport = numberIn(fields, 5) ?? 0
    const cycles = numberIn(fields, 10)
    const session: Record<string, unknown> = { sport: sports[sport] ?? String(sport), seconds }
    const name = fields.get(110)
    if (typeof name === 'string') session['profile'] = name
    setIfDefined(session, 'metres', scale(numberIn(fields, 9), 100))
    setIfDefined(session, 'kilocalories', numberIn(fields, 11))
    setIfDefined(session, 'averageHeartRate', numberIn(fields, 16))
    setIfDefined(session, 'maximalHeartRate', numberIn(fields, 17))
    setIfDefined(session, 'averageCadence', numberIn(fields, 18))
    setIfDefined(session, 'maximalCadence', numberIn(fields, 19))
    setIfDefined(session, 'averageWatts', numberIn(fields, 20))
    setIfDefined(session, 'maximalWatts', numberIn(fields, 21))
    setIfDefined(session, 'metresUp', numberIn(fields, 22))
    setIfDefined(session, 'metresDown', numberIn(fields, 23))
    setIfDefined(session, 'laps', numberIn(fields, 26))
    if (cycles !== undefined)
      session[onFoot.has(sport) ? 'steps' : 'cycles'] = onFoot.has(sport) ? cycles * 2 : cycles
    this.#track.activity('session', sports[sport] ?? 'Activity', from, from + seconds, {
      'fit:session': session
    })
  }

  #addPressure(message: FitMessage, time: number): void {
    const kind = 'blood_pressure'
    const { fields } = message
    const [systolic, diastolic, rate] = [0, 1, 6].map(field => numberIn(fields, field))
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (failedStatuses.has(numberIn(fields, 8) ?? 0))
      this.sink.leftOut(kind, 'not measured, as the file itself says')
    else if (!systolic || !diastolic) this.sink.leftOut(kind, 'without a number')
    else
      this.sink.datum({
        kind,
        source: this.source,
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        time,
        content: { systolic, diastolic, ...(rate && { rate }) }
      })
    leaveOthers(message, new Set([0, 1, 6, 7, 8, 9]), this.sink)
  }

  /** Adds the sleep level at a time. Its duration is not recorded. */
  #addSleepLevel({ fields }: FitMessage, time: number): void {
    const kind = 'sleep_level'
    const stage = sleepStages[numberIn(fields, 0) ?? 0]
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else if (!stage) this.sink.leftOut(kind, 'not measured, as the file itself says')
    else
      this.sink.datum({
        kind,
        source: this.source,
        type: 'sleep/analysis',
        stream: 'Sleep stages',
        time,
        content: { analysis: stage === 'awake' ? 'awake' : 'asleep' },
        identity: stage,
        clientData: { 'fit:sleep': { stage } }
      })
  }
}

/** Converts semicircles to degrees. */
function toDegrees(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Number(((value * 180) / 2 ** 31).toFixed(7))
}

function setIfDefined(target: Record<string, unknown>, name: string, value: number | undefined): void {
  if (value !== undefined) target[name] = value
}
