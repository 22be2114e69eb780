/** A service that runs alone, with people in it, and what makes a cluster of it. */
import { createHash } from 'node:crypto'
import { ManualClock } from '../../../core/time.js'
import { startServer } from '../../../server/server.js'
import { methodModules, Service, testSettings } from '../../support/coffer.js'
import type { EngineServers } from '../engine-servers.js'
import type { Person } from '../load.js'

/** Text that hardly gets shorter by being packed. */
function noise(seed: string, length: number): string {
  let text = ''
  for (let part = 0; text.length < length; part++)
    text += createHash('sha512').update(`${seed}-${part}`).digest('base64')
  return text.slice(0, length)
}

/** Bytes of each long event. */
const longBytes = 200_000

/**
 * Makes people in a folder that belongs to no cluster yet, each with a register, which is the event that a load changes, and a
 * file. The first one has as many long events besides as are asked for.
 */
export async function makePeople(directory: string, count: number, longEvents = 0): Promise<Person[]> {
  const clock = new ManualClock(Date.now() / 1000 - 60)
  const server = await startServer(testSettings(directory, { workers: 0 }), { clock, methodModules })
  const service = new Service(server, clock, directory)
  const people: Person[] = []
  for (let index = 0; index < count; index++) {
    const client = await service.user(`person-${index}`)
    await client.stream('diary')
    const { id } = await client.event({ content: '0' })
    people.push({ username: client.username, token: client.token, register: id })
    await upload(server.url, people[index]!, fileOf(people[index]!))
    const more = index === 0 ? longEvents : 0
    for (let event = 0; event < more; event++) await client.event({ content: noise(`${event}`, longBytes) })
  }
  await server.close()
  return people
}

/** What the file of a person says. */
export function fileOf({ username }: Person): string {
  return `the file of ${username}`
}

/** Adds an event with a file. */
export async function upload(url: string, { token, username }: Person, text: string): Promise<void> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content: 'with a file' }))
  form.append('file', new Blob([text]), 'some.txt')
  const headers = { authorization: token }
  const response = await fetch(`${url}/${username}/events`, { method: 'POST', headers, body: form })
  if (!response.ok) throw new Error(await response.text())
}

/** What all files of a person say, in any order. */
export async function filesOf(url: string, { token, username }: Person): Promise<string[]> {
  const headers = { authorization: token }
  const response = await fetch(`${url}/${username}/events?limit=1000000`, { headers })
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

/** The settings of a node as flags, for commands beside it. */
export function nodeFlags(servers: EngineServers, name: string, directory: string): string[] {
  return [`--dataDir=${directory}`, `--cluster.node=${name}`, `--cluster.engine=${servers.urls.join(',')}`]
}

/** The arguments of the command that begins a cluster with a folder. */
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
