/** Reads FIT files: activities, weights and daily monitoring of watches, bicycle computers and scales. */
import { Unreadable, type Format, type Sink } from '../../record.js'
import { TrackWriter } from '../track-writer.js'
import { HeartbeatReader } from './heartbeats.js'
import { isFit, readMessages, type FitMessage } from './messages.js'
import { MonitoringReader } from './monitoring.js'
import { isDeviceMessage, manufacturers, getMessageName, footSports, sports } from './names.js'
import { skipOtherFields, getNumbers, getNumber, addValues, scaleValue, toTime } from './values.js'

/** Maximum size of a file, in bytes. A day of records per second takes about 3 MB. */
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
    const messages = readMessages(Buffer.concat(chunks))
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
  readonly #track: TrackWriter
  readonly #beats: HeartbeatReader
  readonly #monitoring: MonitoringReader
  /** Time of the last message with a timestamp (seconds). */
  #now = NaN
  /** Time of the last record, and the number of earlier records with the same time. */
  #lastRecordTime = NaN
  #sameTimeCount = 0

  constructor(
    private readonly sink: Sink,
    private readonly source: string,
    private readonly isPlanned = false
  ) {
    this.#track = new TrackWriter(sink, source)
    this.#beats = new HeartbeatReader(sink, source)
    this.#monitoring = new MonitoringReader(sink, source)
  }

  /** Reads one message, by its global message number. */
  read(message: FitMessage): void {
    const { fields, number, timestamp } = message
    const time = toTime(timestamp)
    if (!Number.isNaN(time)) this.#now = time
    if (number === 20) this.#addRecord(message, time)
    else if (number === 18) this.#addSession(message)
    else if (number === 51) this.#addPressure(message, time)
    else if (number === 55) this.#monitoring.read(message)
    else if (number === 78) this.#beats.addIntervals('hrv', getNumbers(fields, 0), this.#now)
    else if (number === 290)
      this.#beats.addIntervals(
        'beat_intervals',
        getNumbers(fields, 1),
        time + (getNumber(fields, 0) ?? 0) / 1000
      )
    else if (number === 132) this.#beats.addRates(message, this.#track)
    else if (number === 275) this.#addSleepLevel(message, time)
    else if (!addValues(message, this.source, this.sink))
      this.sink.skip(
        getMessageName(number),
        isDeviceMessage(number)
          ? 'about the file or the device, not a measurement'
          : 'of a kind without a type here'
      )
  }

  /** Adds a point of the track with its measurements; points of planned routes are skipped. */
  #addRecord(message: FitMessage, time: number): void {
    const { fields } = message
    if (this.isPlanned) {
      this.sink.skip('record', 'a place on a route that was planned')
      return
    }
    const [latitude, longitude] = [0, 1].map(each => toDegrees(getNumber(fields, each)))
    const cadence = getNumber(fields, 4)
    // Records of the same second get fractions of a second.
    this.#sameTimeCount = time === this.#lastRecordTime ? this.#sameTimeCount + 1 : 0
    this.#lastRecordTime = time
    const fraction =
      this.#sameTimeCount < 10 ? this.#sameTimeCount / 10 : Math.min(0.99, 0.9 + this.#sameTimeCount / 10_000)
    this.#track.addPoint({
      kind: 'record',
      time: time + fraction,
      ...((latitude !== undefined || longitude !== undefined) && {
        latitude: latitude ?? NaN,
        longitude: longitude ?? NaN
      }),
      altitude: scaleValue(getNumber(fields, 78) ?? getNumber(fields, 2), 5, -500),
      speed: scaleValue(getNumber(fields, 73) ?? getNumber(fields, 6), 1000),
      horizontalAccuracy: getNumber(fields, 31),
      heartRate: getNumber(fields, 3),
      cadence:
        cadence === undefined ? undefined : scaleValue((getNumber(fields, 53) ?? 0) / 128 + cadence, 1),
      power: getNumber(fields, 7),
      temperature: getNumber(fields, 13),
      respiration: scaleValue(getNumber(fields, 108), 100) ?? getNumber(fields, 99),
      distance: scaleValue(getNumber(fields, 5), 100)
    })
    skipOtherFields(message, recordFields, this.sink)
  }

  /** Adds an activity with the figures of its session. */
  #addSession({ fields, timestamp }: FitMessage): void {
    const from = toTime(getNumber(fields, 2) ?? timestamp)
    const seconds = scaleValue(getNumber(fields, 7), 1000) ?? 0
    const sport = getNumber(fields, 5) ?? 0
    const cycles = getNumber(fields, 10)
    const session: Record<string, unknown> = { sport: sports[sport] ?? String(sport), seconds }
    const name = fields.get(110)
    if (typeof name === 'string') session['profile'] = name
    setIfDefined(session, 'metres', scaleValue(getNumber(fields, 9), 100))
    setIfDefined(session, 'kilocalories', getNumber(fields, 11))
    setIfDefined(session, 'averageHeartRate', getNumber(fields, 16))
    setIfDefined(session, 'maximalHeartRate', getNumber(fields, 17))
    setIfDefined(session, 'averageCadence', getNumber(fields, 18))
    setIfDefined(session, 'maximalCadence', getNumber(fields, 19))
    setIfDefined(session, 'averageWatts', getNumber(fields, 20))
    setIfDefined(session, 'maximalWatts', getNumber(fields, 21))
    setIfDefined(session, 'metresUp', getNumber(fields, 22))
    setIfDefined(session, 'metresDown', getNumber(fields, 23))
    setIfDefined(session, 'laps', getNumber(fields, 26))
    if (cycles !== undefined)
      session[footSports.has(sport) ? 'steps' : 'cycles'] = footSports.has(sport) ? cycles * 2 : cycles
    this.#track.addActivity({
      kind: 'session',
      name: sports[sport] ?? 'Activity',
      label: typeof name === 'string' && name !== '' ? name : undefined,
      start: from,
      end: from + seconds,
      clientData: { 'fit:session': session }
    })
  }

  /** Adds a blood pressure, or counts it as skipped if it is incomplete or has failed. */
  #addPressure(message: FitMessage, time: number): void {
    const kind = 'blood_pressure'
    const { fields } = message
    const [systolic, diastolic, rate] = [0, 1, 6].map(field => getNumber(fields, field))
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (failedStatuses.has(getNumber(fields, 8) ?? 0))
      this.sink.skip(kind, 'not measured, as the file itself says')
    else if (!systolic || !diastolic) this.sink.skip(kind, 'without a number')
    else
      this.sink.addRecord({
        kind,
        source: this.source,
        type: 'blood-pressure/mmhg-bpm',
        stream: 'Blood pressure',
        time,
        content: { systolic, diastolic, ...(rate && { rate }) }
      })
    skipOtherFields(message, new Set([0, 1, 6, 7, 8, 9]), this.sink)
  }

  /** Adds the sleep level at a time. Its duration is not recorded. */
  #addSleepLevel({ fields }: FitMessage, time: number): void {
    const kind = 'sleep_level'
    const stage = sleepStages[getNumber(fields, 0) ?? 0]
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (!stage) this.sink.skip(kind, 'not measured, as the file itself says')
    else
      this.sink.addRecord({
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
