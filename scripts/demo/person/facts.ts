/** The events of the sample data, as they are sent. */
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

/** An event with an attachment. */
export interface Filed {
  readonly fact: Fact
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Buffer }
}

/** The holder event of a series, and its data points. */
export interface Holder {
  readonly fact: Fact
  readonly fields: readonly string[]
  readonly points: readonly (readonly number[])[]
}

/** Creates an event in one stream. If the person is abroad, it contains the time zone. */
export function createEvent(
  { zone }: Day,
  streamId: string,
  type: string,
  time: number,
  rest: Pick<Fact, 'content' | 'duration' | 'description'>
): Fact {
  const elsewhere = zone === homeZone ? {} : { clientData: { [zoneKey]: zone } }
  return { streamIds: [streamId], type, time: Math.round(time), ...rest, ...elsewhere }
}
