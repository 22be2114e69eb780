/** The events of the sample data, as they are sent. */
import { zoneKey } from '../../../schemas/zones.js'
import { homeZone, type Day } from './days.js'

/** An event to create. Times in seconds. */
export interface EventParams {
  readonly streamIds: readonly string[]
  readonly type: string
  readonly time: number
  readonly content?: unknown
  readonly duration?: number
  readonly description?: string
  readonly clientData?: Readonly<Record<string, unknown>>
}

/** An event with an attachment. */
export interface EventWithFile {
  readonly fact: EventParams
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Buffer }
}

/** The holder event of a series, and its data points. */
export interface SeriesData {
  readonly fact: EventParams
  readonly fields: readonly string[]
  readonly points: readonly (readonly number[])[]
}

/** Creates an event in one stream. If the person is abroad, it contains the time zone. */
export function createEvent(
  { zone }: Day,
  streamId: string,
  type: string,
  time: number,
  rest: Pick<EventParams, 'content' | 'duration' | 'description'>
): EventParams {
  const elsewhere = zone === homeZone ? {} : { clientData: { [zoneKey]: zone } }
  return { streamIds: [streamId], type, time: Math.round(time), ...rest, ...elsewhere }
}
