/** Reads workouts, symptoms, moods and medications of Health Auto Export. */
import type { SkipReason } from '../../skip-reasons.js'
import type { ImportedRecord, Sink } from '../../record.js'
import { getList, getNumber, getText, type Json } from '../json-files.js'
import { TrackWriter } from '../track-writer.js'
import { parseTime, formatWords, type MetricReader } from './health-auto-export-metrics.js'

type RecordContent = Pick<
  ImportedRecord,
  'type' | 'stream' | 'content' | 'identity' | 'description' | 'clientData'
>

const severities: Readonly<Record<string, string>> = {
  notpresent: 'notPresent',
  mild: 'mild',
  moderate: 'moderate',
  severe: 'severe',
  unspecified: 'unspecified',
  present: 'unspecified'
}
const appetites: Readonly<Record<string, string>> = {
  increased: 'increased',
  decreased: 'decreased',
  nochange: 'noChange',
  unspecified: 'unspecified'
}

/** Returns the record of a symptom, or the reason to skip it. */
export function toSymptom(object: Json): RecordContent | SkipReason {
  const name = getText(object, 'name') ?? ''
  const isAppetite = /^appetite/i.test(name)
  const word = (getText(object, 'severity') ?? '').replaceAll(/[\s_-]/g, '').toLowerCase()
  const severityMap = isAppetite ? appetites : severities
  if (name === '' || !Object.hasOwn(severityMap, word)) return 'of a kind without a type here'
  return {
    type: isAppetite ? 'symptoms/appetite-changes' : 'symptoms/severity',
    stream: formatWords(name),
    content: severityMap[word]
  }
}

/**
 * Returns the record of a state of mind, whose valence is from -1 to 1, as a rating from 0 to 1; or the
 * reason to skip it: the valence is missing or out of range. The caller adds the time.
 */
export function toMood(object: Json): RecordContent | SkipReason {
  const valence = getNumber(object, 'valence')
  if (valence === undefined) return 'without a number'
  if (Math.abs(valence) > 1) return 'of a value that is impossible for what it measures'
  const labels = getList(object, 'labels').filter(each => typeof each === 'string')
  const { id: _id, start: _start, end: _end, ...otherMembers } = object
  return {
    type: 'mood/rating',
    stream: 'State of mind',
    content: Number(((valence + 1) / 2).toPrecision(12)),
    identity: getText(object, 'id'),
    description: labels.length > 0 ? labels.join(', ').slice(0, 1000) : undefined,
    clientData: { 'health-auto-export:stateOfMind': otherMembers }
  }
}

/** Returns the record of a dose; the reason to skip it if it was not taken or has no name. */
export function toMedication(object: Json): RecordContent | SkipReason {
  const name = getText(object, 'displayText') ?? getText(object, 'nickname')
  if (name === undefined) return 'a record without what makes one'
  if (getText(object, 'status') !== 'Taken') return 'cancelled, not carried out or ruled out'
  const { start: _start, end: _end, ...otherMembers } = object
  return {
    type: 'note/txt',
    stream: 'Medications',
    content: name,
    clientData: { 'health-auto-export:medication': otherMembers }
  }
}

/** Adds workouts: first the values of their lists, then the workout itself. */
export class WorkoutReader {
  readonly #track: TrackWriter

  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink,
    private readonly metrics: MetricReader
  ) {
    this.#track = new TrackWriter(sink, '')
  }

  /** Adds one value of a list within a workout: a position of its route, or a quantity. */
  addListValue(list: string, object: Json): void {
    const kind = `workouts ${list}`
    if (list === 'route') {
      this.#track.addPoint({
        kind,
        time: parseTime(getText(object, 'timestamp'), this.zone),
        latitude: getNumber(object, 'latitude') ?? getNumber(object, 'lat'),
        longitude: getNumber(object, 'longitude') ?? getNumber(object, 'lon'),
        altitude: getNumber(object, 'altitude'),
        speed: getNumber(object, 'speed'),
        bearing: getNumber(object, 'course'),
        horizontalAccuracy: getNumber(object, 'horizontalAccuracy'),
        verticalAccuracy: getNumber(object, 'verticalAccuracy')
      })
      return
    }
    const time = parseTime(getText(object, 'date'), this.zone)
    const common = { kind, source: getText(object, 'source') ?? '', time }
    if (Number.isNaN(time)) this.sink.skip(kind, 'without a time')
    else {
      const stream = `${formatWords(list.replace(/Data$/, ''))} of workouts`
      this.metrics.addQuantities(common, list, getText(object, 'units') ?? '', stream, object)
    }
  }

  /**
   * Adds the workout itself; its lists have been added before. `identity`: by default, its id or name. Skips
   * it without a time. Also ends the route, so that the next one is another track.
   */
  addWorkout(
    common: Pick<ImportedRecord, 'kind' | 'source' | 'time' | 'duration'>,
    object: Json,
    identity?: string
  ): void {
    this.#track.beginSegment()
    const name = getText(object, 'name') ?? ''
    if (Number.isNaN(common.time)) {
      this.sink.skip(common.kind, 'without a time')
      return
    }
    // The lists have been read already.
    const details = Object.entries(object).filter(
      ([member, value]) =>
        !['id', 'name', 'start', 'end', 'source'].includes(member) &&
        !(Array.isArray(value) && value.length === 0)
    )
    this.sink.addRecord({
      ...common,
      type: 'activity/plain',
      stream: 'Workouts',
      identity: identity ?? getText(object, 'id') ?? name,
      description: name === '' ? undefined : name,
      clientData: { 'health-auto-export:workout': Object.fromEntries(details) }
    })
  }
}
