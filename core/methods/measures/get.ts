/** Lists the measures: the catalogue, and the user's own. (docs/api/measure-methods.md#the-measures) */
import { Type } from 'typebox'
import { measures } from '../../../schemas/measures/catalogue.js'
import { closed, orNull } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { JsonText } from '../../json/json-text.js'
import { KnownMeasures, listOwnMeasures, OwnMeasure } from '../../measures/known-measures.js'
import { MeasureIds } from '../../measures/params.js'
import { omitNulls } from '../../validation/omit-nulls.js'

const Names = Type.Object({ en: Type.String(), de: Type.String(), fr: Type.String() })

const CatalogueMeasure = Type.Object({
  id: Type.String(),
  category: Type.String(),
  names: Names,
  icon: Type.String(),
  hue: Type.Number(),
  kind: Type.String(),
  types: Type.Array(Type.String())
})

/** The catalogue's entries as JSON: they are the same for every call. */
const textsById = new Map(measures.map(measure => [measure.id, JSON.stringify(measure)]))

/**
 * Returns the catalogue and the user's own measures; with `ids` only those, in their order. Throws
 * `unknown-referenced-resource` for unknown ids. Only the user sees own measures.
 */
export const get = method({
  id: 'measures.get',
  summary: 'Get the measures',
  params: Type.Object({ ids: orNull(MeasureIds) }, closed),
  result: Type.Object({ measures: Type.Array(Type.Union([CatalogueMeasure, OwnMeasure])) }),
  mode: 'read',
  allow: anyAccess,
  isCacheable: () => true,
  run(call, params) {
    const { ids } = omitNulls(params)
    const own = new Map(listOwnMeasures(call).map(measure => [measure.id, JSON.stringify(measure)]))
    const known = ids && new KnownMeasures(call).require(ids).map(({ id }) => id)
    const texts = (known ?? [...textsById.keys(), ...own.keys()]).map(id => textsById.get(id) ?? own.get(id))
    return { measures: new JsonText(`[${texts.join(',')}]`) }
  }
})
