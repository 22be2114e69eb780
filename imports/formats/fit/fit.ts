/** Reads FIT files: activities, weights and daily monitoring of watches, bicycle computers and scales. */
import { Unreadable, type Format, type Sink } from '../../record.js'
import { TrackWriter } from '../track-writer.js'
import { HeartbeatReader } from './heartbeats.js'
import { isFit, readMessages, type FitMessage } from './messages.js'
import { MonitoringReader } from './monitoring.js'
import { isDeviceMessage, manufacturers, getMessageName, footSports, sports } from './names.js'
import {
  beatIntervalFields,
  courseFile,
  fileFields,
  hrvFields,
  messageNumbers,
  pressureFields,
  recordFields,
  sessionFields,
  sleepFields
} from './profile.js'
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
      else if (value.number === messageNumbers.fileId)
        reader = new FitReader(sink, getSourceName(value), isCourse(value))
      else reader.read(value)
    }
  }
}

/** Returns the name of the device that wrote a file. */
function getSourceName({ fields }: FitMessage): string {
  const { manufacturer, productName, serialNumber } = fileFields
  const [maker, product, serial] = [manufacturer, fileFields.product, serialNumber].map(each =>
    fields.get(each)
  )
  const name = fields.get(productName)
  if (typeof name === 'string') return name
  if (serial === undefined) return ''
  const parts = [manufacturers[Number(maker)] ?? `Maker ${Number(maker)}`, product, serial]
  return parts.filter(part => part !== undefined).join(' ')
}

/** Returns true if a file contains a planned course. */
function isCourse({ fields }: FitMessage): boolean {
  return fields.get(fileFields.type) === courseFile
}

const readRecordFields: ReadonlySet<number> = new Set(Object.values(recordFields))
/** Those that are read, and those about how it was measured. */
const knownPressureFields: ReadonlySet<number> = new Set(Object.values(pressureFields))
/** Statuses of failed blood pressure measurements. */
const failedStatuses = new Set([1, 2, 3, 4])
/** Stages by number; without a name if it is unknown. */
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
    if (number === messageNumbers.record) this.#addRecord(message, time)
    else if (number === messageNumbers.session) this.#addSession(message)
    else if (number === messageNumbers.bloodPressure) this.#addPressure(message, time)
    else if (number === messageNumbers.monitoring) this.#monitoring.read(message)
    else if (number === messageNumbers.hrv)
      this.#beats.addIntervals('hrv', getNumbers(fields, hrvFields.intervals), this.#now)
    else if (number === messageNumbers.beatIntervals)
      this.#beats.addIntervals(
        'beat_intervals',
        getNumbers(fields, beatIntervalFields.intervals),
        time + (getNumber(fields, beatIntervalFields.milliseconds) ?? 0) / 1000
      )
    else if (number === messageNumbers.heartRates) this.#beats.addRates(message, this.#track)
    else if (number === messageNumbers.sleepLevel) this.#addSleepLevel(message, time)
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
    const read = (name: keyof typeof recordFields): number | undefined =>
      getNumber(fields, recordFields[name])
    if (this.isPlanned) {
      this.sink.skip('record', 'a place on a route that was planned')
      return
    }
    const [latitude, longitude] = [read('latitude'), read('longitude')].map(toDegrees)
    const cadence = read('cadence')
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
      altitude: scaleValue(read('enhancedAltitude') ?? read('altitude'), 5, -500),
      speed: scaleValue(read('enhancedSpeed') ?? read('speed'), 1000),
      horizontalAccuracy: read('accuracy'),
      heartRate: read('heartRate'),
      cadence:
        cadence === undefined ? undefined : scaleValue((read('fractionalCadence') ?? 0) / 128 + cadence, 1),
      power: read('power'),
      temperature: read('temperature'),
      respiration: scaleValue(read('enhancedRespiration'), 100) ?? read('respiration'),
      distance: scaleValue(read('distance'), 100)
    })
    skipOtherFields(message, readRecordFields, this.sink)
  }

  /** Adds an activity with the figures of its session. */
  #addSession({ fields, timestamp }: FitMessage): void {
    const read = (name: keyof typeof sessionFields): number | undefined =>
      getNumber(fields, sessionFields[name])
    const from = toTime(read('startTime') ?? timestamp)
    const seconds = scaleValue(read('elapsedTime'), 1000) ?? 0
    const sport = read('sport') ?? 0
    const cycles = read('cycles')
    const session: Record<string, unknown> = { sport: sports[sport] ?? String(sport), seconds }
    const name = fields.get(sessionFields.profileName)
    if (typeof name === 'string') session['profile'] = name
    setIfDefined(session, 'metres', scaleValue(read('distance'), 100))
    setIfDefined(session, 'kilocalories', read('calories'))
    setIfDefined(session, 'averageHeartRate', read('averageHeartRate'))
    setIfDefined(session, 'maximalHeartRate', read('maximalHeartRate'))
    setIfDefined(session, 'averageCadence', read('averageCadence'))
    setIfDefined(session, 'maximalCadence', read('maximalCadence'))
    setIfDefined(session, 'averageWatts', read('averagePower'))
    setIfDefined(session, 'maximalWatts', read('maximalPower'))
    setIfDefined(session, 'metresUp', read('ascent'))
    setIfDefined(session, 'metresDown', read('descent'))
    setIfDefined(session, 'laps', read('laps'))
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
    const systolic = getNumber(fields, pressureFields.systolic)
    const diastolic = getNumber(fields, pressureFields.diastolic)
    const rate = getNumber(fields, pressureFields.heartRate)
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else if (failedStatuses.has(getNumber(fields, pressureFields.status) ?? 0))
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
    skipOtherFields(message, knownPressureFields, this.sink)
  }

  /** Adds the sleep level at a time. Its duration is not recorded. */
  #addSleepLevel({ fields }: FitMessage, time: number): void {
    const kind = 'sleep_level'
    const stage = sleepStages[getNumber(fields, sleepFields.level) ?? 0]
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
