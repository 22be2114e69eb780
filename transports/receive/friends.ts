/** Reads where friends were last, with the accesses that they share: their permissions and their audit log apply. */
import type { Credentials } from '../../core/call/credentials.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { isObject } from '../../imports/formats/json-files.js'
import type { Friend } from '../../schemas/connection.js'
import type { FriendPosition } from './dialect.js'

const positionType = 'position/wgs84'
/** Number of events that are read: each device has its own. */
const maxEvents = 20
/** Seconds for which a position is not read again, and for which a link that shows none is not tried again. */
const [freshSeconds, uselessSeconds] = [60, 600]
/** Maximum number of friends that are remembered. */
const maxRemembered = 10_000

interface Remembered {
  readonly until: number
  readonly position: FriendPosition | undefined
}

export class Friends {
  /** By token and user. */
  readonly #remembered = new Map<string, Remembered>()

  constructor(private readonly dispatcher: Dispatcher) {}

  /**
   * Lists the positions of friends who share their position now. `credentials`: the credentials of the app's
   * request. Friends who share none, or no longer, are omitted. Positions are remembered for a while.
   */
  async list(friends: readonly Friend[], credentials: Credentials): Promise<FriendPosition[]> {
    const found: FriendPosition[] = []
    for (const friend of friends) {
      const position = await this.#find(friend, credentials)
      if (position) found.push(position)
    }
    return found
  }

  /** Returns the position of a friend, from memory if it was read recently; `undefined` if there is none. */
  async #find(friend: Friend, { ip }: Credentials): Promise<FriendPosition | undefined> {
    const now = this.dispatcher.services.clock.now()
    const key = `${friend.token} ${friend.username}`
    const known = this.#remembered.get(key)
    if (known && known.until > now) return known.position
    const position = await this.#read(friend, { ip, via: 'http', authorization: friend.token })
    this.#remembered.delete(key)
    this.#remembered.set(key, { position, until: now + (position ? freshSeconds : uselessSeconds) })
    if (this.#remembered.size > maxRemembered) this.#remembered.delete(this.#remembered.keys().next().value!)
    return position
  }

  /** Reads the latest position of a friend with the token that the friend has given; `undefined` if there is none. */
  async #read({ username }: Friend, credentials: Credentials): Promise<FriendPosition | undefined> {
    const call = async (method: string, params: object): Promise<Record<string, unknown> | undefined> => {
      const outcome = await this.dispatcher.call({
        user: username,
        method,
        params,
        credentials,
        isWhole: true
      })
      return outcome.ok ? (JSON.parse(`{${outcome.members}}`) as Record<string, unknown>) : undefined
    }
    const types = [positionType, `series:${positionType}`]
    const range = { fromTime: 0, toTime: this.dispatcher.services.clock.now() }
    const found = await call('events.get', { types, ...range, limit: maxEvents })
    let last: FriendPosition | undefined
    for (const { content, id, time, type } of (found?.['events'] ?? []) as readonly FoundEvent[]) {
      // Points of a series follow its beginning.
      const point =
        type === positionType
          ? { time, position: content }
          : toPoint(time, await call('hfs.get', { id, limit: 1, sortAscending: false }))
      if (point && isObject(point.position) && point.time > (last?.time ?? -Infinity))
        last = { username, time: point.time, position: point.position }
    }
    return last
  }
}

interface FoundEvent {
  readonly id: string
  readonly time: number
  readonly type: string
  readonly content: unknown
}

/** Returns the last point of a series that begins at a time; `undefined` if it has none. */
function toPoint(
  begin: number,
  series: Record<string, unknown> | undefined
): { readonly time: number; readonly position: unknown } | undefined {
  const [, ...names] = (series?.['fields'] ?? []) as string[]
  const [row] = (series?.['points'] ?? []) as number[][]
  if (!row) return undefined
  const [deltaTime, ...cells] = row
  const values = names.flatMap((name, at) => (typeof cells[at] === 'number' ? [[name, cells[at]]] : []))
  return { time: begin + deltaTime!, position: Object.fromEntries(values) as Record<string, number> }
}
