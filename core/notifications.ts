/** Who hears of which change, and what the message is. (service.md, Events; supplement 26; security 32) */
import type { Access } from '../schemas/access.js'
import type { Change, ChangeKind, Path } from './changes.js'
import { allows, grantsOf, type Grants } from './grants.js'

const messages = new Map<ChangeKind, string>([
  ['events', 'eventsChanged'],
  ['streams', 'streamsChanged'],
  ['accesses', 'accessesChanged']
])

/** The message that clients get for a change; `undefined` for kinds that stay within the service. */
export function messageOf({ kind }: Change): string | undefined {
  return messages.get(kind)
}

/** Whether whoever holds this access may hear of a change: personal ones of all, others of what their permissions cover. */
export function mayHear(access: Access, change: Change): boolean {
  if (access.type === 'personal') return true
  const { accessIds, kind, places } = change
  if (kind === 'accesses' && accessIds.includes(access.id)) return true
  const grants = grantsOf(access)
  return places.some(paths => covers(grants, kind, paths))
}

/** Whether one of these streams may be listed (`create-only` counts). */
function covers(grants: Grants, kind: ChangeKind, paths: readonly Path[]): boolean {
  // An event that is in a `none` stream too cannot be seen: nothing may tell of it.
  if (kind === 'events' && paths.some(path => grants.levelOnPath(path) === 'none')) return false
  return paths.some(path => allows(grants.levelOnPath(path), 'list'))
}

/** Whether an access may hear of a change in a stream, or in one below it. */
export function mayHearWithin(access: Access, change: Change, streamId: string): boolean {
  const grants = grantsOf(access)
  return change.places.some(paths =>
    paths.some(
      path =>
        path.includes(streamId) && (access.type === 'personal' || allows(grants.levelOnPath(path), 'list'))
    )
  )
}
