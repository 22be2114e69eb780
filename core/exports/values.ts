/** Contents of events, value by value. */
import type { Event } from '../../schemas/event.js'
import type { EventTypes } from '../event-types/directory.js'
import { isSeries } from '../events/fields.js'
import { JsonText } from '../json/json-text.js'
import { durationColumn } from '../series/plan.js'
import { isObject } from '../validation/is-object.js'
import { rawOf, type Cell } from './csv.js'

/** A value of a content, by the name of its field. */
export type Value = readonly [field: string, value: Cell]

const noValue: readonly Value[] = [['', '']]

/** The field of contents that are a value themselves. */
export const ownField = 'value'

/** Tells fields that hold further ones, by the types of the directory. */
export class Values {
  readonly #nested = new Map<string, ReadonlySet<string>>()

  constructor(private readonly types: Pick<EventTypes, 'fields'>) {}

  /** The values of an event: one at least, which may be empty. Objects are taken apart as their type says, others at their top. */
  of({ type, content }: Pick<Event, 'type' | 'content'>): readonly Value[] {
    if (content === undefined || content === null || isSeries(type)) return noValue
    if (content instanceof JsonText) return [[ownField, content.text]]
    if (typeof content !== 'object' || Array.isArray(content)) return [[ownField, rawOf(content)]]
    const values: Value[] = []
    this.#gather(content as Record<string, unknown>, '', this.#prefixes(type), values)
    return values.length === 0 ? noValue : values
  }

  /** Names of the fields that contents of a type may have. */
  fields(type: string): string[] {
    return this.types.fields(type).map(({ name }) => name)
  }

  #gather(
    content: Readonly<Record<string, unknown>>,
    prefix: string,
    nested: ReadonlySet<string>,
    values: Value[]
  ): void {
    for (const [key, value] of Object.entries(content)) {
      const name = prefix + key
      if (isObject(value) && nested.has(name)) this.#gather(value, `${name}.`, nested, values)
      else if (value !== null) values.push([name, rawOf(value)])
    }
  }

  /** Fields of a type that hold further fields. */
  #prefixes(type: string): ReadonlySet<string> {
    let known = this.#nested.get(type)
    if (known) return known
    // A class with a wildcard has types without number.
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

/** A field of a content by its path; undefined if there is none. */
export function fieldOf(content: unknown, path: readonly string[]): unknown {
  let value = content
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** The length of the interval that a point stands for; undefined if its series tells none. */
export function durationOf(
  columns: readonly string[],
  row: readonly unknown[],
  fields: readonly string[]
): unknown {
  if (fields.includes(durationColumn)) return undefined
  const at = columns.indexOf(durationColumn)
  return at < 0 ? undefined : (row[at] ?? undefined)
}
