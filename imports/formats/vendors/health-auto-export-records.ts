/** Reads workouts, symptoms, moods and medications of Health Auto Export. */
import type { Reason } from '../../reasons.js'
import type { Datum, Sink } from '../../record.js'
import { listAt, numberAt, textAt, type Json } from '../json-files.js'
import { Track } from '../tracks.js'
import { timeIn, wordsIn, type Metrics } from './health-auto-export-metrics.js'

type RecordContent = Pick<Datum, 'type' | 'stream' | 'content' | 'identity' | 'description' | 'clientData'>

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

/** Returns the record of a symptom. */
export function symptomIn(object: Json): RecordContent | Reason {
  const name = textAt(object, 'name') ?? ''
  const isAppetite = /^appetite/i.test(name)
  const word = (textAt(object, 'severity') ?? '').replaceAll(/[\s_-]/g, '').toLowerCase()
  const severityMap = isAppetite ? appetites : severities
  if (name === '' || !Object.hasOwn(severityMap, word)) return 'of a kind without a type here'
  return {
    type: isAppetite ? 'symptoms/appetite-changes' : 'symptoms/severity',
    stream: wordsIn(name),
    content: severityMap[word]
  }
}

/** Returns the record of a state of mind, whose valence is from -1 to 1. */
export function moodIn(object: Json): RecordContent | Reason {
  const valence = numberAt(object, 'valence')
  if (valence === undefined) return 'without a number'
  if (Math.abs(valence) > 1) return 'of a value that is impossible for what it measures'
  const labels = listAt(object, 'labels').filter(each => typeof each === 'string')
  const { id: _id, start: _start, end: _end, ...otherMembers } = object
  return {
    type: 'mood/rating',
    stream: 'State of mind',
    content: Number(((valence + 1) / 2).toPrecision(12)),
    identity: textAt(object, 'id'),
    description: labels.length > 0 ? labels.join(', ').slice(0, 1000) : undefined,
    clientData: { 'health-auto-export:stateOfMind': otherMembers }
  }
}

/** Returns the record of a dose, if it was taken. */
export function medicationIn(object: Json): RecordContent | Reason {
  const name = textAt(object, 'displayText') ?? textAt(object, 'nickname')
  if (name === undefined) return 'a record without what makes one'
  if (textAt(object, 'status') !== 'Taken') return 'cancelled, not carried out or ruled out'
  const { start: _start, end: _end, ...otherMembers } = object
  return {
    type: 'note/txt',
    stream: 'Medications',
    content: name,
    clientData: { 'health-auto-export:medication': otherMembers }
  }
}

/** Adds workouts: first the values of their lists, then the workout itself. */
export class Workouts {
  readonly #track: Track

  constructor(
    private readonly zone: string | undefined,
    private readonly sink: Sink,
    private readonly metrics: Metrics
  ) {
    this.#track = new Track(sink, '')
  }

  part(list: string, object: Json): void {
    const kind = `workouts ${list}`
    if (list === 'route') {
      this.#track.add({
        kind,
        time: timeIn(textAt(object, 'timestamp'), this.zone),
        latitude: numberAt(object, 'latitude') ?? numberAt(object, 'lat'),
        longitude: numberAt(object, 'longitude') ?? numberAt(object, 'lon'),
        altitude: numberAt(object, 'altitude'),
        speed: numberAt(object, 'speed'),
        bearing: numberAt(object, 'course'),
        horizontalAccuracy: numberAt(object, 'horizontalAccuracy'),
        verticalAccuracy: numberAt(object, 'verticalAccuracy')
      })
      return
    }
    const time = timeIn(textAt(object, 'date'), this.zone)
    const common = { kind, source: textAt(object, 'source') ?? '', time }
    if (Number.isNaN(time)) this.sink.leftOut(kind, 'without a time')
    else {
      const stream = `${wordsIn(list.replace(/Data$/, ''))} of workouts`
      this.metrics.quantities(common, list, textAt(object, 'units') ?? '', stream, object)
    }
  }

  workout(common: Pick<Datum, 'kind' | 'source' | 'time' | 'duration'>, object: Json): void {
    this.#track.begin()
    const name = textAt(object, 'name') ?? ''
    if (Number.isNaN(common.time)) {
      this.sink.leftOut(common.kind, 'without a time')
      return
    }
    // The lists have been read already.
    const details = Object.entries(object).filter(
      ([member, value]) =>
        !['id', 'name', 'start', 'end', 'source'].includes(member) &&
        !(Array.isArray(value) && value.length === 0)
    )
    this.sink.datum({
      ...common,
      type: 'activity/plain',
      stream: 'Workouts',
      identity: textAt(object, 'id') ?? name,
      description: name === '' ? undefined : name,
      clientData: { 'health-auto-export:workout': Object.fromEntries(details) }
    })
  }
}
