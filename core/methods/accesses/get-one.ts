/** Reads one access, also as it was before an update. (docs/spec/accesses.md#reading-one-access) */
import { Type } from 'typebox'
import type { Access } from '../../../schemas/access.js'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import { formatWireId, getBaseId, parseWireId, toWireAccess, type WireId } from '../../access-ids.js'
import { limitToCaller, mayManage, PublicAccess, toPublicAccess } from '../../accesses/public-access.js'
import { notShared } from '../../auth/allow.js'
import { isRecentSignIn } from '../../auth/recent-sign-in.js'
import { method, type Call } from '../../call/method.js'
import type { Reader } from '../../call/reader.js'
import { fail, quoteText } from '../../errors.js'
import type { Listing } from '../../json/json-text.js'

/**
 * The access; an earlier version is without its token, which is still valid. For an earlier version also
 * `current`, the id of the current one; `history`, on request: all earlier versions, oldest first. Throws
 * `unknown-resource` also for accesses that the caller may not see.
 */
export const getOne = method({
  id: 'accesses.getOne',
  summary: 'Get an access',
  params: Type.Object({ id: Identifier, includeHistory: orNull(Type.Boolean()) }, closed),
  result: Type.Object({
    access: PublicAccess,
    current: Type.Optional(Identifier),
    history: Type.Optional(Type.Array(PublicAccess))
  }),
  mode: 'read',
  allow: notShared,
  isCacheable: () => true,
  // Not all changes of an access are published to an app, and no use is. The token of a session is shown for some minutes.
  hiddenState: (call, { id }) => {
    const { store } = call
    const base = getBaseId(id)
    const { modified, serial, type } = store.accesses.find(base) ?? {}
    return [modified, serial, store.usage.getLastUsed(base), type === 'personal' && isRecentSignIn(call)]
  },
  run(call, { id, includeHistory }) {
    const asked = parseWireId(id) ?? failUnknown(id)
    const current = requireVisible(call, asked, id)
    const history = includeHistory === true && { history: createHistory(call, current.id) }
    if (asked.serial === undefined || asked.serial === current.serial)
      return { access: toPublicAccess(call, current), ...history }
    const former = call.store.accesses.findVersion(asked.base, asked.serial) ?? failUnknown(id)
    return { access: toWireAccess(limitToCaller(call, former)), current: formatWireId(current), ...history }
  }
})

/**
 * Returns an access that the caller may see: its own, and those that it manages. Throws `unknown-resource`
 * for others.
 */
function requireVisible(call: Call, { base }: WireId, id: string): Access {
  const access = call.store.accesses.find(base)
  if (!access || !(access.id === call.caller.accessId || mayManage(call, access))) failUnknown(id)
  return access
}

function failUnknown(id: string): never {
  fail('unknown-resource', `Unknown access ${quoteText(id)}`)
}

/** Lists the former versions of an access, as far as the caller may see them. */
function createHistory({ credentials }: Call, id: string): Listing<Reader> {
  let last = -1
  return {
    next({ caller, store }) {
      const { isLast, versions } = store.accesses.listVersionsAfter(id, last)
      last = versions.at(-1)?.serial ?? last
      const texts = versions.map(version =>
        JSON.stringify(toWireAccess(limitToCaller({ caller, credentials }, version)))
      )
      return { text: texts.join(','), count: texts.length, done: isLast }
    }
  }
}
