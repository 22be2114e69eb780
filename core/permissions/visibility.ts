/** Who hears of which change, and what the message is. (docs/spec/notifications.md#who-hears-of-a-change) */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Change, ChangeKind, Path } from '../changes.js'
import type { Level } from '../../schemas/permission.js'
import { allows } from './levels.js'
import { standingOf } from './standing.js'

const messages = new Map<ChangeKind, string>([
  ['events', 'eventsChanged'],
  ['streams', 'streamsChanged'],
  ['accesses', 'accessesChanged']
])

/** The message that clients get for a change; `undefined` for kinds that stay within the service. */
export function messageOf({ kind }: Change): string | undefined {
  return messages.get(kind)
}

/** Somebody who may hear of changes, as things stand. */
export class Hearer {
  /** Things that have changed may share streams. */
  readonly #levels = new Map<Path, Level | undefined>()
  #judged: { readonly change: Change; readonly mayHear: boolean } | undefined
  #within: { readonly change: Change; readonly ids: ReadonlySet<string> } | undefined

  constructor(
    private readonly store: UserStore,
    private readonly access: Access
  ) {}

  /** Whether it may hear of a change: personal accesses of all, others of what their permissions cover. */
  mayHear(change: Change): boolean {
    if (this.#judged?.change !== change) this.#judged = { change, mayHear: this.#judge(change) }
    return this.#judged.mayHear
  }

  #judge({ accessIds, kind, places }: Change): boolean {
    if (this.access.type === 'personal') return true
    if (kind === 'accesses' && accessIds.includes(this.access.id)) return true
    return places.some(paths => this.#covers(kind, paths))
  }

  /** Whether it may hear of a change in a stream, or in one below it. */
  mayHearWithin(change: Change, streamId: string): boolean {
    if (this.#within?.change !== change) this.#within = { change, ids: this.#heardWithin(change) }
    return this.#within.ids.has(streamId)
  }

  /** The streams in which it may hear of a change, with all above them: looked up for each of a thousand scopes. */
  #heardWithin({ kind, places }: Change): ReadonlySet<string> {
    const ids = new Set<string>()
    for (const paths of places) {
      if (this.access.type !== 'personal' && !this.#covers(kind, paths)) continue
      for (const path of paths) if (this.#mayList(path)) for (const id of path) ids.add(id)
    }
    return ids
  }

  /**
   * Whether a stream has come to where the access has another level, even one that it cannot see: events that are in other
   * streams as well may be hidden by that, or no longer be.
   */
  mayLoseSight({ kind, places }: Change): boolean {
    if (kind !== 'streams') return false
    const levels = new Map<string | undefined, Level | undefined>()
    for (const path of places.flat()) {
      const level = this.#level(path)
      if (levels.has(path[0]) && levels.get(path[0]) !== level) return true
      levels.set(path[0], level)
    }
    return false
  }

  /** Whether one of these streams may be listed (`create-only` counts). */
  #covers(kind: ChangeKind, paths: readonly Path[]): boolean {
    // An event that is in a `none` stream too cannot be seen: nothing may tell of it.
    if (kind === 'events' && paths.some(path => this.#level(path) === 'none')) return false
    return paths.some(path => this.#mayList(path))
  }

  #mayList(path: Path): boolean {
    return this.access.type === 'personal' || allows(this.#level(path), 'list')
  }

  #level(path: Path): Level | undefined {
    if (this.#levels.has(path)) return this.#levels.get(path)
    const level = standingOf(this.store, this.access).grants.levelOnPath(this.store.streams, path)
    this.#levels.set(path, level)
    return level
  }
}
