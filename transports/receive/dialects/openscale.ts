/** Receives openScale-sync: measurements of scales. (https://github.com/oliexdev/openScale-sync) */
import { fail } from '../../../core/errors.js'
import { getId, getList, getMember, getNumber, getText } from '../../../imports/formats/json-files.js'
import { parseIsoTime } from '../../../imports/text/times.js'
import { findMeasure, scaleValue } from '../../../imports/text/units.js'
import { convertUnit } from '../../../schemas/units.js'
import type { Dialect, ReceivedRecord, Removal } from '../dialect.js'
import { parseJsonObject, ReadingBuilder } from '../reading-builder.js'

interface Kind {
  readonly stream: string
  readonly type: string
}

const weight: Kind = { stream: 'Weight', type: 'mass/kg' }
/** Numbers that every measurement may have; zero stands for none. */
const mainKinds: readonly (readonly [member: string, kind: Kind])[] = [
  ['weight', weight],
  ['body_fat', { stream: 'Body fat', type: 'ratio/percent' }],
  ['water', { stream: 'Body water', type: 'ratio/percent' }],
  ['muscle', { stream: 'Muscle', type: 'ratio/percent' }]
]
/** Further values, by their keys in lower case without separators. The values above are sent among them again. */
const otherKinds: ReadonlyMap<string, Kind | undefined> = new Map<string, Kind | undefined>([
  ['weight', undefined],
  ['bodyfat', undefined],
  ['fat', undefined],
  ['water', undefined],
  ['muscle', undefined],
  ['bone', { stream: 'Bone mass', type: 'mass/kg' }],
  ['bonemass', { stream: 'Bone mass', type: 'mass/kg' }],
  ['lbm', { stream: 'Lean body mass', type: 'mass/kg' }],
  ['waist', { stream: 'Waist', type: 'length/cm' }],
  ['hip', { stream: 'Hip', type: 'length/cm' }],
  ['hips', { stream: 'Hip', type: 'length/cm' }],
  ['chest', { stream: 'Chest', type: 'length/cm' }],
  ['thigh', { stream: 'Thigh', type: 'length/cm' }],
  ['biceps', { stream: 'Biceps', type: 'length/cm' }],
  ['neck', { stream: 'Neck', type: 'length/cm' }],
  ['visceralfat', { stream: 'Visceral fat', type: 'count/generic' }]
])

export const openscale: Dialect = {
  id: 'openscale',
  name: 'openScale',
  read({ body, connection }) {
    const message = parseJsonObject(body)
    const event = getText(message, 'event')
    const reading = new ReadingBuilder()
    if (event === 'test') return reading
    if (event === 'insert' || event === 'update') {
      const batch = getMember(message, 'measurements')
      if (batch === undefined) addMeasurement(reading, message, connection.name)
      else
        for (const each of Array.isArray(batch) ? batch : [batch])
          addMeasurement(reading, each, connection.name)
      return reading
    }
    if (event !== 'delete' && event !== 'clear') {
      if (event === undefined) fail('invalid-request-structure', 'The body must have a text "event"')
      reading.received++
      reading.skip(event)
      return reading
    }
    reading.received++
    const time = event === 'delete' ? parseIsoTime(getText(message, 'date') ?? '') : undefined
    if (Number.isNaN(time)) reading.skip(event)
    const removal: Removal = {
      source: getSource(message, connection.name),
      ...(time !== undefined && { time })
    }
    const removals = Number.isNaN(time) ? [] : [removal]
    return { records: [], received: reading.received, notUnderstood: reading.notUnderstood, removals }
  },
  answer: () => ({ status: 200, body: { status: 'ok' } })
}

/** Returns the source of a user of the scale. Only the id is part of all messages. */
function getSource(message: unknown, connectionName: string): string {
  const user = getId(message, 'userId')
  return user === undefined ? connectionName : `${connectionName} ${user}`
}

/** Adds the values of a measurement, or counts it as skipped if it has none. */
function addMeasurement(reading: ReadingBuilder, measurement: unknown, connectionName: string): void {
  reading.received++
  const time = parseIsoTime(getText(measurement, 'date') ?? '')
  const before = reading.records.length
  if (!Number.isNaN(time)) {
    const base = { source: getSource(measurement, connectionName), time, identity: '', isEvent: true }
    for (const [member, kind] of mainKinds) {
      const content = getNumber(measurement, member)
      if (content !== undefined && content > 0 && (kind.type !== 'ratio/percent' || content <= 100))
        reading.add({ kind: member, ...base, ...kind, content })
    }
    for (const value of getList(measurement, 'values')) {
      // What is computed from other values can be computed again.
      if (getMember(value, 'isDerived') === true) continue
      const record = toValue(value)
      if (record) reading.add({ ...base, ...record })
    }
  }
  if (reading.records.length === before) reading.skip('measurement')
}

/** Returns one of the further values, in the unit of its type. */
function toValue(
  value: unknown
): Pick<ReceivedRecord, 'kind' | 'type' | 'stream' | 'content' | 'clientData'> | undefined {
  const key = getText(value, 'key') ?? ''
  const name = key.toLowerCase().replaceAll(/[^a-z]/g, '')
  const number = getNumber(value, 'value')
  const text = getText(value, 'text')
  if (key === '' || (otherKinds.has(name) && !otherKinds.get(name))) return undefined
  if (number === undefined)
    return text === undefined || text === ''
      ? undefined
      : { kind: key, type: 'note/txt', stream: getText(value, 'name') ?? key, content: text }
  const unit = getText(value, 'unit') ?? ''
  const measure = findMeasure(unit) ?? { type: 'count/generic' }
  const known = otherKinds.get(name)
  const content = scaleValue(number, measure.factor)
  const converted = known && convertUnit(content, measure.type, known.type)
  if (!known || converted === undefined)
    return { kind: key, type: measure.type, stream: getText(value, 'name') ?? key, content }
  const isConverted = measure.type !== known.type
  return {
    kind: key,
    ...known,
    content: converted,
    ...(isConverted && { clientData: { 'openscale:original': { value: number, unit } } })
  }
}
