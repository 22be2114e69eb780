/**
 * Who may see and do what, implemented the slow and obvious way from the written rules: the reference for the service.
 * Streams are objects here: one that is created again under an old id is a different one.
 */
import type { Level } from '../../schemas/permission.js'

export interface Place {
  readonly id: string
  parent: Place | undefined
  trashed: boolean
  /** Whether it is an account stream, and of which kind; undefined for the user's own. */
  readonly account?: 'field' | 'mark'
}

export interface Thing {
  readonly id: string
  places: Place[]
  trashed: boolean
  readonly isHolder: boolean
  readonly isRunning: boolean
  /** The paths of each earlier version, as in {@link Left}, at the time it was replaced. */
  readonly versions: (readonly (readonly Place[])[])[]
}

/** The record of a deleted event or stream: for each of its streams, the path from there up to the root. */
export interface Left {
  readonly id: string
  readonly paths: readonly (readonly Place[])[]
}

export interface Holder {
  readonly name: string
  readonly type: 'personal' | 'app' | 'shared'
  /** The app that created the share; undefined if the owner did. */
  readonly creator: Holder | undefined
  readonly granted: Map<string, Level>
  /** Permissions that have ended, with the stream to which they applied. */
  readonly ended: Map<string, { level: Level; place: Place }>
  readonly expires: number
  isDeleted: boolean
}

type Maybe = Level | undefined

const order: readonly Level[] = ['none', 'read', 'create-only', 'contribute', 'manage']

/** What each level allows. */
const table: Readonly<Record<Level, string>> = {
  none: '',
  read: 'list read',
  'create-only': 'list create',
  contribute: 'list read create contribute',
  manage: 'list read create contribute manage'
}
export type Deed = 'list' | 'read' | 'create' | 'contribute' | 'manage'

function permits(level: Maybe, deed: Deed): boolean {
  return level !== undefined && table[level].split(' ').includes(deed)
}

/** Returns the level that allows what both levels do. */
function both(a: Level, b: Level): Level {
  const deeds = table[a].split(' ').filter(deed => table[b].split(' ').includes(deed))
  return order.findLast(level => table[level].split(' ').every(deed => deed === '' || deeds.includes(deed)))!
}

function hides(level: Maybe): boolean {
  return level !== undefined && !permits(level, 'read')
}

export class PermissionModel {
  readonly places = new Map<string, Place>()
  readonly things = new Map<string, Thing>()
  readonly leftThings: Left[] = []
  readonly leftPlaces: Left[] = []
  readonly holders: Holder[] = []

  constructor(
    readonly rootOfTags: string,
    readonly prefixOfTags: string
  ) {}

  isTag(id: string): boolean {
    return id === this.rootOfTags || id.startsWith(this.prefixOfTags)
  }

  isInForce({ creator, expires, isDeleted }: Holder, now: number): boolean {
    return !isDeleted && expires > now && (!creator || this.isInForce(creator, now))
  }

  path(place: Place): Place[] {
    return [place, ...(place.parent ? this.path(place.parent) : [])]
  }

  isInTrash(place: Place): boolean {
    return this.path(place).some(({ trashed }) => trashed)
  }

  subtree(place: Place): Place[] {
    return [
      place,
      ...[...this.places.values()].filter(one => one.parent === place).flatMap(one => this.subtree(one))
    ]
  }

  /** Returns the level of an access on a stream: never more than that of its creator. */
  level(holder: Holder, place: Place | '*'): Maybe {
    if (holder.type === 'personal') return 'manage'
    return this.#within(holder, at => this.#own(at, place))
  }

  /** Returns the level on a deleted item, by its streams at the time, from the lowest to the root. */
  levelThen(holder: Holder, path: readonly Place[]): Maybe {
    if (holder.type === 'personal') return 'manage'
    return this.#within(holder, at => this.#ownThen(at, path))
  }

  #within(holder: Holder, own: (holder: Holder) => Maybe): Maybe {
    const level = own(holder)
    if (!holder.creator) return level
    const above = own(holder.creator)
    if (above === 'none' || above === 'create-only') return 'none'
    if (level === undefined) return undefined
    if (above === undefined) return level === 'none' ? 'none' : undefined
    return both(level, above)
  }

  #own(holder: Holder, place: Place | '*'): Maybe {
    const star = holder.granted.get('*')
    if (place === '*') return star
    if (place.account === 'mark') return undefined
    if (place.account)
      return (
        this.path(place)
          .map(({ id }) => holder.granted.get(id))
          .find(Boolean) ?? 'none'
      )
    const granted = holder.granted.get(place.id)
    if (granted) return granted
    return this.#inherited(holder, place, place.parent && this.#own(holder, place.parent))
  }

  /** Returns the level on a stream without a permission, from that on its parent. */
  #inherited(holder: Holder, { id, parent }: Place, above: Maybe): Maybe {
    const star = holder.granted.get('*')
    const isAstray = parent && this.isTag(id) && !this.isTag(parent.id)
    let level = parent ? above : star
    if (isAstray) level = hides(above) && above !== star ? 'none' : star
    const ended = holder.ended.get(id)
    return ended && level ? both(ended.level, level) : level
  }

  #ownThen(holder: Holder, path: readonly Place[]): Maybe {
    const [place, ...above] = path
    if (!place) return holder.granted.get('*')
    if (place.account) return this.#own(holder, place)
    const granted = holder.granted.get(place.id)
    const now = this.places.get(place.id)
    if (granted && (!now || now === place)) return granted
    if (granted && hides(granted)) return 'none'
    const ended = holder.ended.get(place.id)
    if (!granted && ended?.place === place) return ended.level
    return this.#inherited(holder, { ...place, parent: above[0] }, above[0] && this.#ownThen(holder, above))
  }

  may(holder: Holder, deed: Deed, place: Place | '*'): boolean {
    // Only their owner may manage streams of tags.
    if (deed === 'manage' && place !== '*' && this.isTag(place.id) && holder.type !== 'personal') return false
    return permits(this.level(holder, place), deed)
  }

  maySee(holder: Holder, { places }: Pick<Thing, 'places'>): boolean {
    const levels = places.map(place => this.level(holder, place))
    return levels.some(level => permits(level, 'read')) && !levels.some(hides)
  }

  mayKnow(holder: Holder, { paths }: Left): boolean {
    const levels = paths.map(path => this.levelThen(holder, path))
    return levels.some(level => permits(level, 'read')) && !levels.some(hides)
  }

  couldList(holder: Holder, { paths }: Left): boolean {
    return permits(this.levelThen(holder, paths[0]!), 'list')
  }

  mayChange(holder: Holder, thing: Thing): boolean {
    return this.maySee(holder, thing) && thing.places.some(place => this.may(holder, 'contribute', place))
  }

  mayAddPoints(holder: Holder, { places }: Thing): boolean {
    return (
      places.some(place => this.may(holder, 'create', place)) &&
      !places.some(place => this.level(holder, place) === 'none')
    )
  }

  managesAll(holder: Holder, place: Place): boolean {
    return this.subtree(place).every(one => this.may(holder, 'manage', one))
  }

  /** Returns whether an app has every level that it wants to grant, on each existing stream and each id it names. */
  covers(holder: Holder, granted: ReadonlyMap<string, Level>): boolean {
    const wanted: Holder = { ...holder, creator: undefined, granted: new Map(granted), ended: new Map() }
    const unknown = [...granted.keys(), ...holder.granted.keys()].filter(
      id => id !== '*' && !this.places.has(id)
    )
    const places = [
      '*' as const,
      ...this.places.values(),
      ...unknown.map(id => ({ id, parent: undefined, trashed: false }))
    ]
    return places.every(place => {
      const level = this.level(wanted, place)
      const held = this.level(holder, place)
      if (level === undefined) return true
      if (held === undefined || order.indexOf(held) < order.indexOf(level)) return false
      return held !== 'create-only' || level === 'none'
    })
  }

  /** Removes permanently deleted streams, and ends the permissions on them. */
  remove(gone: readonly Place[]): void {
    for (const place of gone) {
      this.leftPlaces.push({ id: place.id, paths: [this.path(place).map(one => one)] })
      for (const { ended, granted } of this.holders) {
        const level = granted.get(place.id)
        if (level === undefined || level === 'none') continue
        granted.delete(place.id)
        ended.set(place.id, { level, place })
      }
    }
    for (const { id } of gone) this.places.delete(id)
  }

  /** A reused id is no longer a deletion. */
  add(place: Place): Place {
    const index = this.leftPlaces.findIndex(({ id }) => id === place.id)
    if (index >= 0) this.leftPlaces.splice(index, 1)
    this.places.set(place.id, place)
    return place
  }

  /** Saves a version before a change. */
  keep({ places, versions }: Thing): void {
    versions.push(places.map(place => this.path(place)))
  }

  bury({ id, places }: Thing): void {
    this.leftThings.push({ id, paths: places.map(place => this.path(place)) })
    this.things.delete(id)
  }
}
