/** What a change says about an item beyond its streams, so that scopes with conditions can be matched. (docs/spec/notifications.md#scopes) */
import type { Access } from '../schemas/access.js'
import type { Event } from '../schemas/event.js'

/** A stream as the ids from itself up to its root, at the time of the change; `*` stands by itself. */
export type Path = readonly string[]

/** What scopes may ask of an event, as it was before or after a change. */
export interface EventState {
  readonly type: string
  readonly trashed: boolean
  /** In seconds. */
  readonly time?: number | undefined
  /** `undefined` if it was too large to be kept: then it may meet any condition. */
  readonly data: { readonly content: unknown; readonly clientData: unknown } | undefined
}

/** A changed item, or one of its states: an event that was updated is one item before and one after the update. */
export interface ChangedItem {
  /** All streams that it was in at the same time. */
  readonly paths: readonly Path[]
  /** Ids of the item's streams that were in the trash, by themselves or with an ancestor. */
  readonly trashedIds: readonly string[]
  /** Set for events. */
  readonly event: EventState | undefined
  /** Set for accesses. */
  readonly access: ChangedAccess | undefined
}

/** What scopes may ask of an access. `update`: its new serial and its creator's id, if it has a new version. */
export interface ChangedAccess extends Pick<Access, 'id' | 'type'> {
  readonly update?: { readonly serial: number; readonly creatorId: string }
}

/** Maximum length of the content and client data that are kept of an event, in characters of JSON (approximate). */
const maxCharacters = 4096
/** Characters counted for a value besides its text. */
const valueCharacters = 8

/** Returns about how many characters the content and client data of an event have; `undefined` if they are too many. */
export function countCharacters({ clientData, content }: Partial<Event>): number | undefined {
  const left = subtractValue(subtractValue(maxCharacters, content), clientData)
  return left < 0 ? undefined : maxCharacters - left
}

/** Returns how many of `left` characters remain after a value; negative as soon as it does not fit. */
function subtractValue(left: number, value: unknown): number {
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left - valueCharacters
  let remaining = left - valueCharacters
  if (Array.isArray(value) && value.length * valueCharacters > remaining) return -1
  // A list of the keys is not made: there may be very many.
  for (const key in value) {
    if (remaining < 0) break
    remaining = subtractValue(remaining - key.length, (value as Record<string, unknown>)[key])
  }
  return remaining
}
