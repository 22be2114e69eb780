/** What is granted once the user has omitted some of the streams that the service proposed. */
import type { Permission } from './auth-request.js'
import type { Audience } from './grant-access.js'

/**
 * Returns the permissions to grant. An omitted stream below one that is granted gets the level `none`: otherwise, the app could read it
 * all the same.
 */
export function applyChoice(
  checked: readonly Permission[],
  omitted: ReadonlySet<string>,
  streams: readonly Audience[]
): Permission[] {
  const paths = new Map(streams.map(({ path, streamId }) => [streamId, path]))
  const granted = new Set(
    checked.flatMap(each =>
      'streamId' in each && each.level !== 'none' && !omitted.has(each.streamId) ? [each.streamId] : []
    )
  )
  return checked.flatMap((each): Permission[] => {
    if (!('streamId' in each) || !omitted.has(each.streamId)) return [each]
    const path = paths.get(each.streamId)
    // Not all of very many streams are described.
    const isBelow = path ? path.some(({ id }) => granted.has(id)) : granted.size > 0
    return isBelow || granted.has('*') ? [{ streamId: each.streamId, level: 'none' }] : []
  })
}
