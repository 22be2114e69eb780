/** What a part of the data is made of: events, as they are sent. */
import { zoneKey } from '../../../schemas/zones.js'
import { homeZone, type Day } from './days.js'

/** An event to create. Times in seconds. */
export interface Fact {
  readonly streamIds: readonly string[]
  readonly type: string
  readonly time: number
  readonly content?: unknown
  readonly duration?: number
  readonly description?: string
  readonly clientData?: Readonly<Record<string, unknown>>
}

/** An event with a file. */
export interface Filed {
  readonly fact: Fact
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Buffer }
}

/** An event that holds a series, and its points. */
export interface Holder {
  readonly fact: Fact
  readonly fields: readonly string[]
  readonly points: readonly (readonly number[])[]
}

/** An event in one stream; one of a day spent elsewhere says in which zone. */
export function fact(
  { zone }: Day,
  streamId: string,
  type: string,
  time: number,
  rest: Pick<Fact, 'content' | 'duration' | 'description'>
): Fact {
  const elsewhere = zone === homeZone ? {} : { clientData: { [zoneKey]: zone } }
  return { streamIds: [streamId], type, time: Math.round(time), ...rest, ...elsewhere }
}
