/** A single service with users, and the settings that make it a cluster. */
import { randomBytes } from 'node:crypto'
import type { EngineServers } from '../engine-servers.js'
import type { Person } from '../load.js'
import { makePeople } from '../people.js'

/** Random bytes in each long event: their text hardly compresses. */
const longBytes = 150_000

/** Creates users in a folder that belongs to no cluster yet. The first one has the given number of long events. */
export async function makeLongPeople(directory: string, count: number, longEvents = 0): Promise<Person[]> {
  return await makePeople(directory, count, async (client, index) => {
    if (index > 0 || longEvents === 0) return
    await client.stream('long')
    for (let event = 0; event < longEvents; event++)
      await client.event({ streamIds: ['long'], content: randomBytes(longBytes).toString('base64') })
  })
}

/** Returns the contents of all files of a user, sorted. They belong to events in the diary. */
export async function filesOf(url: string, { token, username }: Person): Promise<string[]> {
  const headers = { authorization: token }
  const response = await fetch(`${url}/${username}/events?streams=diary&limit=1000000`, { headers })
  const { events } = (await response.json()) as {
    events: { id: string; attachments?: { id: string }[] }[]
  }
  const paths = events.flatMap(({ attachments = [], id }) => attachments.map(file => `${id}/${file.id}`))
  const texts = paths.map(async path => {
    const file = await fetch(`${url}/${username}/events/${path}`, { headers })
    return await file.text()
  })
  return (await Promise.all(texts)).toSorted()
}

/** Returns the settings of a node as flags, for commands beside it. */
export function nodeFlags(servers: EngineServers, name: string, directory: string): string[] {
  return [`--dataDir=${directory}`, `--cluster.node=${name}`, `--cluster.engine=${servers.urls.join(',')}`]
}

/** Returns the arguments of the command that creates a cluster from a folder. */
export function initArguments(servers: EngineServers, directory: string): string[] {
  const engine = `--cluster.engine=${servers.urls.join(',')}`
  return [
    'cluster',
    'init',
    `--dataDir=${directory}`,
    engine,
    '--shard-bytes=16777216',
    '--object-bytes=268435456'
  ]
}
