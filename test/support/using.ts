/** What a new user does with a service over HTTP, to check that everything works. */
import type { Test } from 'tap'
import type { Answer } from './coffer.js'
import { noPictures, picture } from './pictures.js'

/** Packages that are tested in rotation. */
export const packages = ['npm', 'executable'] as const

/** Registers a user, creates an event, reads it, and requests the pages. */
export async function useService(t: Test, url: string, username = 'daisy'): Promise<void> {
  const call = async (path: string, body?: object, token?: string): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      headers: {
        origin: url,
        ...(body && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: token })
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) })
    })
    const answer: Answer = await response.json()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
  const password = 'a long sentence'
  const who = { appId: 'first-app', username, password }
  await call('/users', { ...who, email: `${username}@example.com` })
  const { token } = await call(`/${username}/auth/login`, who)
  await call(`/${username}/streams`, { id: 'diary', name: 'Diary' }, token)
  await call(`/${username}/events`, { streamIds: ['diary'], type: 'note/txt', content: 'hello' }, token)
  t.match(await call(`/${username}/events`, undefined, token), { events: [{ content: 'hello' }] })
  if (noPictures === false) await previewOf(t, url, username, token)
  for (const path of ['/app/', '/access/', '/docs/', '/docs/swagger-ui-bundle.js', '/docs/openapi.json']) {
    const response = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })
    t.equal(response.status, 200, path)
    t.match(await response.text(), /\S/, path)
  }
}

/** Uploads an image, and requests its preview. */
async function previewOf(t: Test, url: string, username: string, token: string): Promise<void> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'picture/attached' }))
  form.append('file', new Blob([new Uint8Array(await picture(600, 400, { format: 'png' }))]), 'a.png')
  const headers = { authorization: token }
  const sent = await fetch(`${url}/${username}/events`, { method: 'POST', body: form, headers })
  const { event }: Answer = await sent.json()
  const preview = await fetch(`${url}/${username}/previews/events/${event.id}?width=100&height=100`, {
    headers
  })
  t.match([sent.status, preview.status], [201, 200], 'a preview')
  t.equal(preview.headers.get('content-type'), 'image/jpeg')
}
