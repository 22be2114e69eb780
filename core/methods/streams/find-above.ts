/** `streams.findAbove`: what the streams above those of an access say of them. */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { endpointsOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { listAncestors } from '../../exports/stream-names.js'

/**
 * Returns each permitted stream whose parent the access may not list, and the streams above it up to the root. Those are never
 * shown, but a goal, for example, remains one for those who only see streams below. Errors: `invalid-method` for all others.
 */
export const findAbove = method({
  id: 'streams.findAbove',
  summary: 'Get the streams above those of the access',
  params: Type.Object({}, closed),
  result: Type.Object({
    above: Type.Array(
      Type.Object({
        id: Type.String(),
        streams: Type.Array(Type.Object({ name: Type.String(), mark: Type.Optional(Type.String()) }))
      })
    )
  }),
  mode: 'read',
  isInternal: true,
  allow: endpointsOnly,
  run({ caller, store: { streams } }) {
    const above = Array.from(caller.names, id => {
      const node = streams.find(id)
      const parent = node?.parent
      return parent && !caller.mayAt('list', parent) ? [{ id, streams: listAncestors(node) }] : []
    })
    return { above: above.flat() }
  }
})
