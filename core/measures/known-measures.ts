/** The measures that a caller knows: the catalogue, and the user's own. (docs/api/measure-methods.md#own-measures) */
import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value as Values } from 'typebox/value'
import { findMeasure, measures } from '../../schemas/measures/catalogue.js'
import type { Measure } from '../../schemas/measures/measure.js'
import { fail } from '../errors.js'
import type { Reader } from '../call/reader.js'
import { readOwn } from './read-own.js'

/** Keys in the private profile set: the user's own measures, and the order of sources. */
const ownKey = 'coffer:measures'
const sourcesKey = 'coffer:sources'

/** Maximum number of own measures. */
const maxOwn = 200

/** Name of an event type. */
export const TypeName = Type.String({ pattern: '^[a-z0-9-]+/[a-z0-9-]+$', maxLength: 256 })
const Text = Type.String({ minLength: 1, maxLength: 255 })
const Value = Type.Union([Type.String({ maxLength: 255 }), Type.Number()])

/** A measure of the user's own, as stored in the private profile set. Other properties are ignored. */
export const OwnMeasure = Type.Object({
  id: Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 64 }),
  name: Text,
  icon: Text,
  hue: Type.Number({ minimum: 0, maximum: 359 }),
  kind: Type.Enum(['level', 'sum', 'span', 'category', 'pair', 'place', 'text']),
  types: Type.Array(TypeName, { minItems: 1, maxItems: 50 }),
  fields: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-zA-Z0-9_:-]+(\\.[a-zA-Z0-9_:-]+)*$', maxLength: 256 }), {
      minItems: 1,
      maxItems: 2
    })
  ),
  unit: Type.Optional(
    Type.Object({
      shown: TypeName,
      byRegion: Type.Optional(Type.Record(Type.String(), TypeName)),
      offered: Type.Array(TypeName, { maxItems: 50 })
    })
  ),
  choices: Type.Optional(
    Type.Array(Type.Object({ value: Value, name: Type.Optional(Text) }), { maxItems: 100 })
  ),
  quickValues: Type.Optional(Type.Array(Type.Union([Value, Type.Boolean()]), { maxItems: 20 }))
})
export type OwnMeasure = Static<typeof OwnMeasure>

const ownValidator = Compile(OwnMeasure)

/** What is needed of a measure to read its data. */
export type MeasureForm = Pick<Measure, 'id' | 'kind' | 'types' | 'fields' | 'molarMass'> & {
  readonly category?: Measure['category']
}

/**
 * Lists the user's own measures, at most {@link maxOwn}, if the caller is personal; else none. Malformed ones are ignored, and those
 * with an id of the catalogue.
 */
export function listOwnMeasures({ caller, store }: Reader): OwnMeasure[] {
  if (!caller.isPersonal) return []
  const stored = readOwn(store.profile.find('private'), ownKey)
  if (!Array.isArray(stored)) return []
  const found = new Map<string, OwnMeasure>()
  for (const item of stored.slice(0, maxOwn) as unknown[])
    if (ownValidator.Check(item) && !findMeasure(item.id) && isComplete(item) && !found.has(item.id))
      found.set(item.id, Values.Clean(OwnMeasure, structuredClone(item)) as OwnMeasure)
  return [...found.values()]
}

/** The measures that a caller knows, by id. */
export class KnownMeasures {
  readonly #own: ReadonlyMap<string, MeasureForm>

  constructor(reader: Reader) {
    this.#own = new Map(listOwnMeasures(reader).map(measure => [measure.id, measure]))
  }

  /** Returns the measure with this id; `undefined` if there is none. */
  find(id: string): MeasureForm | undefined {
    return findMeasure(id) ?? this.#own.get(id)
  }

  /** Returns the measures with these ids. Throws `unknown-referenced-resource` for unknown ones. */
  require(ids: readonly string[]): MeasureForm[] {
    return ids.map(id => this.find(id) ?? fail('unknown-referenced-resource', `Unknown measure: ${id}`))
  }

  /** Lists the measures of the catalogue, then the user's own. */
  list(): MeasureForm[] {
    return [...measures, ...this.#own.values()]
  }
}

/** Reads the user's order of sources: ids of streams by id of the measure. Applies to all callers; malformed parts are ignored. */
export function readSourceOrder({ store }: Pick<Reader, 'store'>): ReadonlyMap<string, readonly string[]> {
  const stored = readOwn(store.profile.find('private'), sourcesKey)
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return new Map()
  return new Map(
    Object.entries(stored).flatMap(([measure, ids]) =>
      Array.isArray(ids) ? [[measure, ids.filter((id): id is string => typeof id === 'string')]] : []
    )
  )
}

function isComplete({ fields, kind }: OwnMeasure): boolean {
  return kind !== 'pair' || fields?.length === 2
}
