/** Users who existed before the cluster, in a folder that becomes its first node's. */
import { EngineUnavailable } from '../../cluster/engine.js'
import { ManualClock } from '../../core/time.js'
import { startServer } from '../../server/server.js'
import { methodModules, Service, testSettings, type Client } from '../support/coffer.js'
import { command } from '../support/command.js'
import { until } from './engine-servers.js'
import type { Person } from './load.js'

const mebibyte = 1024 * 1024

/** Creates a cluster from a folder. `shardBytes`: the size limit of each log. */
export async function beginCluster(
  directory: string,
  engine: string,
  shardBytes = 16 * mebibyte
): Promise<void> {
  const flags = [
    `--dataDir=${directory}`,
    `--cluster.engine=${engine}`,
    `--shard-bytes=${shardBytes}`,
    '--object-bytes=268435456'
  ]
  // If it fails, as with servers that respond too late, it is run again.
  await until('the cluster to begin', async () => {
    const { code, errors } = await command(['cluster', 'init', ...flags])
    if (code !== 0 && !errors.includes(new EngineUnavailable().message)) throw new Error(errors)
    return code === 0
  })
}

/**
 * Creates users in a folder that belongs to no cluster yet, each with a register, which is the event that a load
 * changes, and a file. `more` adds further data of a user.
 */
export async function makePeople(
  directory: string,
  count: number,
  more: (client: Client, index: number) => Promise<void> = async () => {}
): Promise<Person[]> {
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
    await more(client, index)
  }
  await server.close()
  return people
}

/** Returns the content of a user's file. */
export function fileOf({ username }: Person): string {
  return `the file of ${username}`
}

/** Adds an event with a file. Returns the path of the file. */
export async function upload(
  url: string,
  { stream = 'diary', token, username }: Person,
  text: string
): Promise<string> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: [stream], type: 'note/txt', content: 'with a file' }))
  form.append('file', new Blob([text]), 'some.txt')
  const headers = { authorization: token }
  const response = await fetch(`${url}/${username}/events`, { method: 'POST', headers, body: form })
  const answer = (await response.json()) as { event: { id: string; attachments: { id: string }[] } }
  if (!response.ok) throw new Error(JSON.stringify(answer))
  return `/${username}/events/${answer.event.id}/${answer.event.attachments[0]!.id}`
}
