/** Receives HC Webhook: what Health Connect and HealthKit hold. (https://github.com/mcnaveen/health-connect-webhook) */
import {
  getId,
  getMember,
  getNumber,
  getText,
  isObject,
  type Json
} from '../../../imports/formats/json-files.js'
import { exerciseNames, sleepStages } from '../../../imports/formats/sqlite/health-connect-tables.js'
import { getNightContent } from '../../../imports/night-record.js'
import { parseIsoTime } from '../../../imports/text/times.js'
import { scaleValue } from '../../../imports/text/units.js'
import type { Dialect, ReceivedRecord } from '../dialect.js'
import { parseJsonObject, ReadingBuilder } from '../reading-builder.js'
import { nutrients, numberKinds, sensitiveKeys, stageNumbers, wordKinds } from './hc-webhook-kinds.js'

/** Members of the body that are no lists of records. */
const envelope: ReadonlySet<string> = new Set(['timestamp', 'app_version'])
const exerciseKinds = exerciseNames.split(', ')

export const hcWebhook: Dialect = {
  id: 'hc-webhook',
  name: 'HC Webhook',
  format: { id: 'health-connect', name: 'Health Connect' },
  read({ body, connection: { name, sensitive } }) {
    const reader = new Reader(name, sensitive)
    for (const [key, list] of Object.entries(parseJsonObject(body)))
      if (!envelope.has(key)) reader.readList(key, list)
    return reader.reading
  },
  answer: () => ({ status: 200, body: { status: 'ok' } })
}

type Span = Pick<ReceivedRecord, 'kind' | 'source' | 'time' | 'duration'>

class Reader {
  readonly reading = new ReadingBuilder()

  constructor(
    private readonly source: string,
    private readonly isSensitive: boolean
  ) {}

  readList(key: string, list: unknown): void {
    const items: readonly unknown[] = Array.isArray(list) ? list : [list]
    for (const item of items) {
      this.reading.received++
      if (sensitiveKeys.has(key) && !this.isSensitive) continue
      const before = this.reading.records.length
      if (isObject(item)) this.#readItem(key, item)
      if (this.reading.records.length === before) this.reading.skip(key)
    }
  }

  /** Adds the records of one item of a list; an item that is not understood adds none. */
  #readItem(key: string, item: Json): void {
    const number = numberKinds.get(key)
    const word = wordKinds.get(key)
    if (key === 'sleep') {
      this.#addNight(item)
      return
    }
    const span = this.#readSpan(key, item)
    if (!span) return
    if (number) {
      const content = getNumber(item, number.member)
      if (content === undefined || content < number.range[0] || content > number.range[1]) return
      const { isFrequent, stream, type } = number
      this.#add(span, { type, stream, content, isFrequent, ...keep('value', omit(item, number.member)) })
    } else if (word) {
      const content = word.words.get(getNumber(item, word.member))
      if (content !== undefined) this.#add(span, { type: word.type, stream: word.stream, content })
    } else if (key === 'blood_pressure') {
      const [systolic, diastolic] = [getNumber(item, 'systolic'), getNumber(item, 'diastolic')]
      if (!systolic || !diastolic || systolic < 0 || diastolic < 0) return
      const content = { systolic, diastolic }
      this.#add(span, { type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', content })
    } else if (key === 'exercise') this.#addExercise(span, item)
    else if (key === 'nutrition') this.#addMeal(span, item)
    else if (key === 'menstruation_period')
      this.#add(span, { type: 'activity/plain', stream: 'Menstruation period' })
    else if (key === 'intermenstrual_bleeding')
      this.#add(span, { type: 'boolean/bool', stream: 'Spotting', content: true })
  }

  /** Adds a record. The app names none of its records, so that there is one for each time: other values are corrections. */
  #add(span: Span, record: Omit<ReceivedRecord, keyof Span>): void {
    this.reading.add({ ...span, identity: '', ...record })
  }

  /** Returns the time of an item; `undefined` if it is invalid. */
  #readSpan(kind: string, item: Json): Span | undefined {
    const time = toTime(getText(item, 'time') ?? getText(item, 'start_time'))
    const end = toTime(getText(item, 'end_time'))
    const seconds = getNumber(item, 'duration_seconds')
    if (time === undefined || (end !== undefined && end < time)) return undefined
    const duration = end === undefined ? seconds : scaleValue(end - time)
    return { kind, source: this.source, time, ...(duration !== undefined && duration > 0 && { duration }) }
  }

  /** Adds a night, of which only the end and the duration are sent, and its stages. */
  #addNight(item: Json): void {
    const end = toTime(getText(item, 'session_end_time'))
    const duration = getNumber(item, 'duration_seconds')
    if (end === undefined || duration === undefined || duration < 0) return
    const base = { source: this.source, type: 'sleep/analysis', stream: 'Sleep' }
    this.reading.add({
      kind: 'sleep',
      ...base,
      time: end - duration,
      duration,
      content: getNightContent(undefined, duration),
      identity: 'session'
    })
    const stages = getMember(item, 'stages')
    for (const stage of Array.isArray(stages) ? stages : []) {
      const [from, to] = [toTime(getText(stage, 'start_time')), toTime(getText(stage, 'end_time'))]
      const known = sleepStages.get(toStageNumber(getMember(stage, 'stage')))
      if (from === undefined || to === undefined || to < from || !known) this.reading.skip('sleep stage')
      else
        this.reading.add({
          kind: 'sleep stage',
          ...base,
          time: from,
          duration: scaleValue(to - from),
          content: { analysis: known.analysis },
          identity: `${known.stage} ${to}`,
          clientData: { 'health-connect:sleep': { stage: known.stage } }
        })
    }
  }

  /** Adds an exercise. What it says of itself stays with it. */
  #addExercise(span: Span, item: Json): void {
    const type = getId(item, 'type') ?? ''
    const name = /^\d+$/.test(type) ? (exerciseKinds[Number(type)] ?? '') : type
    this.#add(span, {
      type: 'activity/plain',
      stream: 'Activities',
      identity: type,
      ...(name !== '' && { description: name }),
      ...keep('exercise', item)
    })
  }

  /** Adds the nutrients of a meal. */
  #addMeal(span: Span, item: Json): void {
    const name = getText(item, 'name') ?? ''
    for (const { member, range, stream, type } of nutrients) {
      const content = getNumber(item, member)
      if (content === undefined || content < range[0]) continue
      this.#add(span, { type, stream, content, identity: name, ...(name !== '' && { description: name }) })
    }
  }
}

function toTime(text: string | undefined): number | undefined {
  const time = text === undefined ? NaN : parseIsoTime(text)
  return Number.isNaN(time) ? undefined : time
}

/** Returns the number of a stage, which is written as a number or a name: `5`, `deep`, `STAGE_TYPE_DEEP`. */
function toStageNumber(stage: unknown): number | undefined {
  if (typeof stage === 'number') return stage
  if (typeof stage !== 'string') return undefined
  const word = stage
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/^(?:sleep)?(?:stage)?(?:type)?/, '')
  return stageNumbers.get(word) ?? (/^\d$/.test(word) ? Number(word) : undefined)
}

const spanMembers: ReadonlySet<string> = new Set(['time', 'start_time', 'end_time', 'duration_seconds'])

function omit(item: Json, member: string): Json {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name !== member))
}

/** Returns client data with the members of an item that are not part of the record's time. */
function keep(name: string, item: Json): Pick<ReceivedRecord, 'clientData'> {
  const members = Object.entries(item).filter(([member]) => !spanMembers.has(member))
  return members.length === 0 ? {} : { clientData: { [`hc-webhook:${name}`]: Object.fromEntries(members) } }
}
