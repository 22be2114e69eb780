/** Builds the mapping of a connection from what the user says about the fields of a body. (docs/api/connections.md#any-json) */
import { getMeasureName, type AnyMeasure } from '../../data/measures.js'
import { isNumber, isOfNumbers, type Meaning, type Role } from './guess-mapping.js'
import { toItemPointer, type BodyField } from './body-fields.js'
import type { Mapping } from '../connections.js'
import { findMembers, pairs } from './field-pairs.js'

/** What the user says about a field with a value. */
export interface Target {
  /** Name of a measure, or of a stream; empty for that of the field. */
  readonly name: string
  /** Event type of the unit. */
  readonly unit?: string | undefined
}

/** Maximum number of values of an item, and of characters of a stream's name. */
const maxValues = 50
const maxNameLength = 100

/**
 * Returns the mappings, one for each value and each complete pair of fields, at most as many as the service
 * accepts. `zone`: that of times without an offset.
 */
export function buildMappings(
  fields: readonly BodyField[],
  { list, roles }: Meaning,
  {
    findMeasure,
    findTarget,
    zone
  }: {
    readonly findMeasure: (id: string) => AnyMeasure | undefined
    readonly findTarget: (field: BodyField) => readonly [Target, AnyMeasure | undefined]
    readonly zone: string
  }
): readonly Mapping[] {
  const find = (role: Role): BodyField | undefined =>
    fields.find(({ pointer }) => roles[pointer] === role && toItemPointer(pointer, list) !== undefined)
  const point = (role: Role): object => {
    const field = find(role)
    return field ? { [role]: toItemPointer(field.pointer, list) } : {}
  }
  const hasUnit = find('unit') !== undefined
  const items = list === undefined || list === '' ? {} : { items: list }
  const shared = {
    ...point('time'),
    ...point('end'),
    ...point('duration'),
    ...point('source'),
    ...point('description'),
    ...(isLocal(find('time')) && { zone })
  }
  const paired = pairs.flatMap(pair => {
    const members = findMembers(pair, roles, list)
    if (Object.keys(members).length < pair.members.length) return []
    const measure = findMeasure(pair.measure)
    return {
      ...items,
      value: '',
      fields: members,
      type: pair.type,
      ...(measure && { measure: measure.id, stream: getMeasureName(measure).slice(0, maxNameLength) }),
      ...shared
    }
  })
  const single = fields.flatMap(field => {
    const value = toItemPointer(field.pointer, list)
    if (roles[field.pointer] !== 'value' || value === undefined) return []
    const [{ name, unit }, measure] = findTarget(field)
    const isConverted = hasUnit && measure !== undefined && isOfNumbers(measure)
    const stream = (measure ? getMeasureName(measure) : name.trim()).slice(0, maxNameLength)
    return [
      {
        ...items,
        value,
        type: measure ? ((isConverted ? undefined : unit) ?? measure.types[0]!) : getPlainType(field),
        ...(measure && { measure: measure.id }),
        ...(stream !== '' && { stream }),
        ...shared,
        ...(isConverted ? point('unit') : {})
      }
    ]
  })
  return [...paired, ...single].slice(0, maxValues)
}

/** Returns the type of values of no measure. */
function getPlainType(field: BodyField): string {
  return typeof field.value === 'boolean' ? 'boolean/bool' : isNumber(field) ? 'count/generic' : 'note/txt'
}

/** Returns true if a field holds a time without an offset. */
export function isLocal(field: BodyField | undefined): boolean {
  const value = field?.value
  return typeof value === 'string' && /^\d{4}-/.test(value) && !/(?:z|utc|gmt|[+-]\d\d:?\d\d)$/i.test(value)
}
