/** Requests to a server that may be killed at any moment. */
import type { Answer } from '../support/coffer.js'

/** Registers the user of these tests; returns the token of the session. */
export async function signIn(url: string): Promise<string> {
  const user = {
    username: 'kill-test',
    password: 'a long secret',
    email: 'kill@example.com',
    appId: 'kill-test'
  }
  const { apiEndpoint } = await post(`${url}/users`, user)
  return new URL(apiEndpoint).username
}

/** Sends a POST request with a JSON body that must succeed. */
export async function post(
  url: string,
  body: object,
  token = '',
  headers: Record<string, string> = {}
): Promise<Answer> {
  return await send('POST', url, body, token, headers)
}

/** Sends a request that must succeed, with a JSON body if there is one. */
export async function send(
  method: string,
  url: string,
  body?: object,
  token = '',
  headers: Record<string, string> = {}
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: token } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {})
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${url} answered ${JSON.stringify(answer)}`)
  return answer
}
