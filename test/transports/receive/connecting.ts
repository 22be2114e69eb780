/** Connections for tests, and what is stored of their data. */
import type { Answer, Client } from '../../support/coffer.js'

/** A connection of a user. */
export interface Connected {
  readonly id: string
  readonly token: string
  readonly url: string
  readonly link?: string
  readonly accessId: string
  readonly streamId: string
}

/** Connects a dialect. */
export async function connect(
  user: Client,
  dialect: string,
  fields: Record<string, unknown> = {}
): Promise<Connected> {
  const { connection } = await user.do('connections.create', { dialect, name: 'phone', ...fields })
  return connection
}

/** Sends a body to a connection, with its token as a bearer token. */
export async function send(
  user: Client,
  dialect: string,
  { token }: Pick<Connected, 'token'>,
  body: unknown,
  headers: Record<string, string> = {}
): Promise<{ status: number; headers: Headers; body: Answer }> {
  const authorization = `Bearer ${token}`
  return await user.service.http('POST', `/${user.username}/from/${dialect}`, body, {
    authorization,
    ...headers
  })
}

/** Returns a connection as its owner sees it. */
export async function look(user: Client, { id }: Pick<Connected, 'id'>): Promise<Answer> {
  return (await user.do('connections.getOne', { id })).connection
}

/** Lists all events, without data points, oldest first. */
export async function events(user: Client): Promise<Answer[]> {
  const found = await user.do('events.get', { limit: 10_000, sortAscending: true, fromTime: 0, toTime: 1e10 })
  return found.events.filter(({ type }: Answer) => !type.startsWith('series:'))
}

/** Lists the data points of all series as `[path, time, cells by name]`, by path and time. */
export async function points(user: Client): Promise<Answer[]> {
  const { events: found } = await user.do('events.get', { limit: 10_000, fromTime: 0, toTime: 1e10 })
  const { streams } = await user.do('streams.get', {})
  const rows: [string, number, Record<string, unknown>][] = []
  for (const holder of found) {
    if (!holder.type.startsWith('series:')) continue
    const { fields, points: listed } = await user.do('hfs.get', { id: holder.id, toDeltaTime: 4e9 })
    for (const [time, ...cells] of listed)
      rows.push([
        findPath(streams, holder.streamIds[0]) ?? '?',
        Math.round((holder.time + time) * 1e6) / 1e6,
        Object.fromEntries(
          fields
            .slice(1)
            .flatMap((name: string, at: number) =>
              cells[at] === null || cells[at] === undefined ? [] : [[name, cells[at]]]
            )
        )
      ])
  }
  return rows.toSorted((a, b) => (a[0] === b[0] ? a[1] - b[1] : a[0] < b[0] ? -1 : 1))
}

/** Returns the names from the root to a stream, with slashes. */
function findPath(streams: readonly Answer[], id: string): string | undefined {
  for (const stream of streams) {
    if (stream.id === id) return stream.name
    const below = findPath(stream.children ?? [], id)
    if (below !== undefined) return `${stream.name}/${below}`
  }
  return undefined
}
