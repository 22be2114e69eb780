/** The directory of event types, in the file shape that clients know. (docs/spec/event-types.md#the-directory) */
import { complexTypes } from './complex.js'
import { numericalTypes } from './numerical.js'

/** A JSON Schema. */
export type ContentSchema = Readonly<Record<string, unknown>>

export interface EventTypeDirectory {
  readonly version: string
  /** Schemas of contents by `class/format`; the format `*` stands for all other formats of its class. */
  readonly types: Readonly<Record<string, ContentSchema>>
  /** What clients display with contents, by class: names, symbols. */
  readonly extras: Readonly<Record<string, unknown>>
}

/** The standard types. */
export const standardTypes: EventTypeDirectory = {
  version: '0.3.0',
  types: {
    ...(complexTypes as unknown as Record<string, ContentSchema>),
    ...Object.fromEntries(numericalTypes.map(type => [type, { type: 'number' }]))
  },
  extras: {}
}
