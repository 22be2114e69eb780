/** Contents of events, value by value. */
import type { Event } from '../../schemas/event.js'
import type { ContentSchema } from '../../schemas/event-types/directory.js'
import type { EventTypes } from '../event-types/directory.js'
import { isSeries } from '../events/fields.js'
import { JsonText } from '../json/json-text.js'
import { durationColumn } from '../series/column-plan.js'
import { isObject } from '../validation/is-object.js'
import { toCell, type CsvCell } from './csv.js'

/** A value of a content, by the name of its field. */
type FieldValue = readonly [field: string, value: CsvCell]

const noValue: readonly FieldValue[] = [['', '']]

/** The field of contents that are a value themselves. */
const valueField = 'value'

/** Lists the values of contents, using the types of the directory to find nested fields. */
export class ValueReader {
  readonly #nested = new Map<string, ReadonlySet<string>>()

  constructor(private readonly types: Pick<EventTypes, 'fields'>) {}

  /**
   * Returns the values of an event: at least one, which may be empty. Objects are expanded as their type defines,
   * others at their top level.
   */
  listValues({ type, content }: Pick<Event, 'type' | 'content'>): readonly FieldValue[] {
    if (content === undefined || content === null || isSeries(type)) return noValue
    if (content instanceof JsonText) return [[valueField, content.text]]
    if (typeof content !== 'object' || Array.isArray(content)) return [[valueField, toCell(content)]]
    const values: FieldValue[] = []
    this.#collect(content as Record<string, unknown>, '', this.#getNestedFields(type), values)
    return values.length === 0 ? noValue : values
  }

  /** Returns names of the fields that contents of a type may have. */
  listFields(type: string): string[] {
    return this.types.fields(type).map(({ name }) => name)
  }

  /** Returns whether contents of a type are values themselves. */
  isPlain(type: string): boolean {
    const [field, ...others] = this.types.fields(type)
    return others.length === 0 && field?.name === valueField && field.whole === undefined
  }

  /**
   * Returns whether the fields of a type hold what its schema names: some contents may be no objects, and some objects within have any
   * form.
   */
  areFieldsComplete(type: string): boolean {
    return isOfKnownForm(this.types.fields(type)[0]?.whole)
  }

  #collect(
    content: Readonly<Record<string, unknown>>,
    prefix: string,
    nested: ReadonlySet<string>,
    values: FieldValue[]
  ): void {
    for (const [key, value] of Object.entries(content)) {
      const name = prefix + key
      if (isObject(value) && nested.has(name)) this.#collect(value, `${name}.`, nested, values)
      else if (value !== null) values.push([name, toCell(value)])
    }
  }

  /** Fields of a type that hold further fields. */
  #getNestedFields(type: string): ReadonlySet<string> {
    let known = this.#nested.get(type)
    if (known) return known
    // A class with a wildcard has an unlimited number of types.
    if (this.#nested.size >= 1000) this.#nested.clear()
    const names = this.types.fields(type).filter(({ name }) => name.includes('.'))
    known = new Set(
      names.flatMap(({ name }) => {
        const parts = name.split('.')
        return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('.'))
      })
    )
    this.#nested.set(type, known)
    return known
  }
}

/** Returns whether a schema is that of objects with known fields, and those within it as well. */
function isOfKnownForm(schema: ContentSchema | undefined): boolean {
  const { properties, type } = schema ?? {}
  const inner = Object.values(Object(properties) as Record<string, ContentSchema>)
  return (
    type === 'object' &&
    inner.length > 0 &&
    inner.every(each => each['type'] !== 'object' || isOfKnownForm(each))
  )
}

/** Returns a field of a content by its path; undefined if there is none. */
export function getField(content: unknown, path: readonly string[]): unknown {
  let value = content
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/**
 * Returns the length of the interval that a point covers; `undefined` if its series has none, or if
 * `duration` is a field of its type.
 */
export function getDuration(
  columns: readonly string[],
  row: readonly unknown[],
  fields: readonly string[]
): unknown {
  if (fields.includes(durationColumn)) return undefined
  const at = columns.indexOf(durationColumn)
  return at < 0 ? undefined : (row[at] ?? undefined)
}
