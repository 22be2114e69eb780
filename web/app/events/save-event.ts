/** Saves form input: creates events and streams, and computes updates. */
import { measureKey } from '../../../schemas/measures/measure.js'
import { zoneKey, resolveZone } from '../../../schemas/zones.js'
import { ignoreFailure, type Account } from '../data/account.js'
import type { Event, Stream } from '../data/model.js'

/** The input of an event form. */
export interface EventInput {
  readonly type: string
  readonly content: unknown
  readonly time: number
  readonly duration: number | null | undefined
  readonly streamIds: readonly string[]
  readonly description: string
}

/**
 * Creates an event with its files. Adds the time zone if it is not the one of the profile at that time.
 * Rejects with a `Refusal`, or with an `AbortError` if an upload is cancelled.
 */
export async function createEvent(
  account: Account,
  { content, duration, description, ...input }: EventInput,
  files: readonly File[] = [],
  onProgress: (part: number) => void = () => {}
): Promise<Event> {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  // The profile stores the user's usual time zones; events created elsewhere store their own.
  const isElsewhere = resolveZone({ time: input.time }, account.zones.value) !== zone
  const event = {
    ...input,
    ...(content === undefined ? {} : { content }),
    ...(duration === undefined || duration === 0 ? {} : { duration }),
    ...(description === '' ? {} : { description }),
    ...(isElsewhere ? { clientData: { [zoneKey]: zone } } : {})
  }
  if (files.length === 0) return (await account.client.call<{ event: Event }>('events.create', event)).event
  const form = new FormData()
  form.append('event', JSON.stringify(event))
  for (const file of files) form.append('file', file, file.name)
  return (await account.client.upload<{ event: Event }>('events', form, onProgress).done).event
}

/** Returns the update that changes an event to the input; undefined if there is no difference. */
export function buildUpdate(event: Event, input: EventInput): Readonly<Record<string, unknown>> | undefined {
  const { content, description, duration, streamIds, time, type } = input
  const changes: Record<string, unknown> = {}
  if (type !== event.type) changes['type'] = type
  if (!isSame(content, event.content ?? undefined)) changes['content'] = content ?? null
  if (time !== event.time) changes['time'] = time
  const newDuration = duration === undefined ? 0 : duration
  const oldDuration = event.duration === undefined ? 0 : event.duration
  if (newDuration !== oldDuration) changes['duration'] = newDuration
  if (description !== (event.description ?? ''))
    changes['description'] = description === '' ? null : description
  if (!isSame(streamIds, event.streamIds)) changes['streamIds'] = streamIds
  return Object.keys(changes).length === 0 ? undefined : changes
}

/** A stream to be created for a new event. */
export interface NewStream {
  readonly name: string
  /** Used if it is free; otherwise the service chooses one. */
  readonly id?: string
  /** The measure to which its events belong. */
  readonly measure?: string
}

/**
 * Creates a stream at the root, and reads the streams again. The name gets a number if it is taken; a wanted
 * id that is taken is not used. Rejects with a `Refusal`.
 */
export async function createStream(account: Account, { id, measure, name }: NewStream): Promise<Stream> {
  const { tree, client } = account
  const siblings = tree.value?.all.filter(({ parentId }) => parentId === null) ?? []
  const names = new Set(siblings.map(each => each.name.toLowerCase()))
  let free = name
  for (let number = 2; names.has(free.toLowerCase()); number++) free = `${name} ${number}`
  const { stream } = await client.call<{ stream: Stream }>('streams.create', {
    name: free,
    parentId: null,
    ...(id !== undefined && !tree.value?.find(id) ? { id } : {}),
    ...(measure === undefined ? {} : { clientData: { [measureKey]: measure } })
  })
  await account.readStreams()
  return stream
}

/** Moves an event to the trash. The facts are read again in the background. Rejects with a `Refusal`. */
export async function trashEvent(account: Account, id: string): Promise<void> {
  await account.client.call('events.delete', { id })
  ignoreFailure(account.readFacts())
}

/** Restores an event from the trash. The facts are read again in the background. Rejects with a `Refusal`. */
export async function restoreEvent(account: Account, id: string): Promise<void> {
  await account.client.call('events.update', { id, update: { trashed: false } })
  ignoreFailure(account.readFacts())
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
