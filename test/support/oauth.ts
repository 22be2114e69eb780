/** An OAuth client, and a user who consents by the same calls as the page. */
import * as oauth from 'oauth4webapi'
import type { Answer, Client, Overrides, Service } from './coffer.js'

export const clientId = 'diary-client'
export const redirectUri = 'https://diary.example.com/callback'

/** An OAuth app without a secret that may request anything. */
export const app = { id: clientId, displayName: 'Diary', oauth: { redirectURIs: [redirectUri] } }

/** Settings with these apps. */
export function apps(...all: readonly object[]): Overrides {
  return { access: { apps: all as never } }
}

/** The user who consents, in a session. */
export type Person = Pick<Client, 'do' | 'token' | 'username'>

/** What a client remembers between its request and the response. */
export interface Begun {
  readonly verifier: string
  readonly challenge: string
  readonly params: Record<string, string>
  /** Where the service redirects the user. */
  readonly location: URL
  readonly status: number
  readonly body: Answer
}

/** Starts a request as clients do, with PKCE. `params` replace the defaults; `undefined` omits one. */
export async function begin(
  service: Pick<Service, 'http'>,
  params: Record<string, string | undefined> = {}
): Promise<Begun> {
  const verifier = oauth.generateRandomCodeVerifier()
  const challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const usual = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'diary:contribute:Diary',
    state: 'a-state',
    code_challenge: challenge,
    code_challenge_method: 'S256'
  }
  const all = Object.entries({ ...usual, ...params }).filter(([, value]) => value !== undefined)
  const sent = Object.fromEntries(all) as Record<string, string>
  const { body, headers, status } = await service.http(
    'GET',
    `/oauth/authorize?${new URLSearchParams(sent).toString()}`
  )
  const location = new URL(headers.get('location') ?? 'none:')
  return { verifier, challenge, params: sent, location, status, body }
}

/** Consents as the page does, in the session of a user; returns where the page redirects. */
export async function agree(
  service: Pick<Service, 'call'>,
  person: Person,
  { location }: Pick<Begun, 'location'>
): Promise<URL> {
  const key = location.searchParams.get('key') ?? ''
  const asked = await service.call(undefined, 'authRequest.poll', { key })
  if (asked.error) throw new Error(JSON.stringify(asked.error))
  const { clientData, deviceName, expireAfter, requestedPermissions, requestingAppId } = asked
  const data = { ...(clientData && { clientData }), ...(deviceName && { deviceName }) }
  const checked = await person.do('accesses.checkApp', {
    requestingAppId,
    requestedPermissions,
    requestKey: key,
    ...data
  })
  const { matchingAccess, mismatchingAccess } = checked
  if (mismatchingAccess) await person.do('accesses.delete', { id: mismatchingAccess.id })
  const access =
    matchingAccess ??
    (
      await person.do('accesses.create', {
        type: 'app',
        name: requestingAppId,
        permissions: checked.checkedPermissions,
        ...data,
        ...(expireAfter !== undefined && { expireAfter })
      })
    ).access
  const answer = await decide(service, person, key, access.token)
  if (answer.error) throw new Error(JSON.stringify(answer.error))
  return new URL(answer.redirect)
}

/** Reports the user's consent to the service, with the token of an access. */
export async function decide(
  service: Pick<Service, 'call'>,
  person: Person,
  key: string,
  token: string
): Promise<Answer> {
  const decision = { key, status: 'ACCEPTED', username: person.username, token }
  return await service.call(undefined, 'authRequest.decide', decision, person.token)
}

/** Posts a form; returns the raw response. */
export async function post(
  service: Pick<Service, 'http'>,
  path: string,
  form: Record<string, string | undefined>,
  headers: Record<string, string> = {}
): Promise<{ status: number; headers: Headers; body: Answer }> {
  const entries = Object.entries(form).filter(([, value]) => value !== undefined) as [string, string][]
  return await service.http('POST', path, new URLSearchParams(entries).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
    ...headers
  })
}

/** Exchanges a code for tokens; `fields` replace the defaults. */
export async function exchange(
  service: Pick<Service, 'http'>,
  begun: Begun,
  answered: URL,
  fields: Record<string, string | undefined> = {}
): Promise<{ status: number; headers: Headers; body: Answer }> {
  return await post(service, '/oauth/token', {
    grant_type: 'authorization_code',
    code: answered.searchParams.get('code') ?? '',
    redirect_uri: begun.params['redirect_uri'],
    client_id: begun.params['client_id'],
    code_verifier: begun.verifier,
    ...fields
  })
}

/** Runs the whole flow, from the request to the tokens. */
export async function obtain(
  service: Service,
  person: Client,
  params: Record<string, string | undefined> = {},
  fields: Record<string, string | undefined> = {}
): Promise<Answer> {
  const begun = await begin(service, params)
  const { body, status } = await exchange(service, begun, await agree(service, person, begun), fields)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** Returns the events that a token can read, or the error. */
export async function read(service: Service, username: string, token: string): Promise<Answer> {
  return (await service.http('GET', `/${username}/events`, undefined, { authorization: `Bearer ${token}` }))
    .body
}
