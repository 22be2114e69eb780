/** An account with a mark in everything that can be stored, to search for after it was deleted. */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import type { Answer } from './coffer.js'

/** Sends requests to a service. */
type Send = (verb: string, path: string, body?: unknown, token?: string) => Promise<Answer>

/** What is needed to continue with the account. */
export interface Planted {
  readonly token: string
  readonly appToken: string
  readonly eventId: string
}

/** Returns a function that sends HTTP requests to a base URL, and throws unless they succeed. */
export function sender(url: string): Send {
  return async (verb, path, body, token) => {
    const isForm = body instanceof FormData
    const response = await fetch(url + path, {
      method: verb,
      headers: {
        origin: url,
        ...(token === undefined ? {} : { authorization: token }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' })
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${verb} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
}

/** Registers `username` and stores `mark` everywhere. Its webhook calls `hook`. */
export async function plant(send: Send, username: string, mark: string, hook?: string): Promise<Planted> {
  const password = `${mark}-password`
  const appId = `${mark}-app`
  await send('POST', '/users', {
    appId,
    username,
    password,
    email: `${mark}@example.com`,
    language: 'fr',
    referer: `${mark}-referer`
  })
  const at = (path: string): string => `/${username}${path}`
  const { token } = await send('POST', at('/auth/login'), { username, password, appId })
  const put = (path: string, body: unknown): Promise<Answer> => send('PUT', at(path), body, token)
  const post = (path: string, body: unknown, by = token): Promise<Answer> => send('POST', at(path), body, by)
  const erase = async (path: string): Promise<void> => {
    await send('DELETE', at(path), undefined, token)
    await send('DELETE', at(path), undefined, token)
  }
  await post('/streams', { id: `${mark}-stream`, name: `${mark} stream`, clientData: { a: mark } })
  await post('/streams', { id: 'gone', name: `${mark} gone` })
  await erase('/streams/gone')
  const streamIds = [`${mark}-stream`]
  const note = { streamIds, type: 'note/txt', content: `${mark} ä`, tags: [`${mark}-tag`] }
  const { event } = await post('/events', { ...note, description: mark, clientData: { [mark]: mark } })
  await put(`/events/${event.id}`, { content: `${mark} again` })
  const deleted = await post('/events', note)
  await erase(`/events/${deleted.event.id}`)
  const form = new FormData()
  form.append('file', new Blob([`bytes with ${mark}`.repeat(1000)]), `${mark}.txt`)
  await post(`/events/${event.id}`, form)
  const holder = await post('/events', { streamIds, type: 'series:note/txt' })
  const points = Array.from({ length: 100 }, (_value, index) => [index, `${mark} ${index}`])
  await post(`/events/${holder.event.id}/series`, {
    format: 'flatJSON',
    fields: ['deltaTime', 'value'],
    points
  })
  const permissions = [{ streamId: streamIds[0], level: 'manage' }]
  const { access } = await post('/accesses', {
    type: 'app',
    name: `${mark}-other-app`,
    deviceName: mark,
    token: `${mark}-token`,
    clientData: { a: mark },
    permissions
  })
  await post('/accesses', { name: `${mark} shared`, permissions }, access.token)
  await put('/profile/public', { [mark]: mark })
  await put('/profile/private', { [mark]: mark })
  await send('PUT', at('/profile/app'), { [mark]: mark }, access.token)
  await post('/followed-slices', { name: mark, url: `https://${mark}.example/`, accessToken: mark })
  if (hook !== undefined) {
    await post('/webhooks', { url: `${hook}/${mark}` }, access.token)
    await post('/events', note)
  }
  return { token, appToken: access.token, eventId: event.id }
}

/** Lists files that contain a text or are named by it. Runs grep: closing a database file here would drop its locks. */
export function filesWith(directory: string, text: string): string[] {
  return [...lines('grep', ['-rlaiF', text, directory]), ...lines('find', [directory, '-iname', `*${text}*`])]
}

/** Returns all bytes of the platform file and its log. */
export function platformBytes(directory: string): string {
  return execFileSync('sh', ['-c', 'cat platform.sqlite*'], { cwd: directory, encoding: 'latin1' })
}

function lines(command: string, args: readonly string[]): string[] {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe' }).split('\n').filter(Boolean)
  } catch (error) {
    const { status, stderr } = error as { status?: number; stderr?: string }
    // The exit status of grep is 1 if it finds nothing.
    if (status === 1 && !stderr) return []
    // A log that is being checkpointed may disappear during the search.
    const complaints = (stderr ?? '').split('\n').filter(Boolean)
    if (complaints.length > 0 && complaints.every(line => line.endsWith('No such file or directory')))
      return lines(command, args)
    throw error
  }
}

/** Lists all files of attachments, and of uploads in progress. */
export function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\/(?:attachments|drafts)\b/.test(entry.parentPath))
    .map(({ name }) => name)
}
