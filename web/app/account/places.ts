/** Where somebody is signed in, and how. */
import type { Client } from '../data/client.js'

interface Answer {
  readonly sessions: readonly { readonly id: string }[]
  readonly hasSecondFactor: boolean
}

export interface SignedIn {
  /** Whether signing in takes a second factor. */
  readonly hasFactor: boolean
  /** Network addresses of the latest calls, by id of the session. */
  readonly places: ReadonlyMap<string, string>
}

/** Sessions that are looked up, latest calls of each that are read, and addresses that are shown. */
const [mostSessions, mostCalls, mostAddresses] = [20, 40, 3]

/** Reads both. Rejects with a `Refusal`. */
export async function readSignedIn(client: Client): Promise<SignedIn> {
  const { sessions, hasSecondFactor } = await client.call<Answer>('sessions.get')
  const places = await Promise.all(
    sessions
      .slice(0, mostSessions)
      .map(async ({ id }) => [id, (await addressesOf(client, id)).join(', ')] as const)
  )
  return { hasFactor: hasSecondFactor, places: new Map(places) }
}

async function addressesOf(client: Client, id: string): Promise<string[]> {
  const { events } = await client.call<{
    events: readonly { readonly content: { readonly source?: { readonly ip?: string } } }[]
  }>('events.get', { streams: [`:_audit:access-${id}`], limit: mostCalls })
  const addresses = events.flatMap(({ content: { source } }) => source?.ip ?? [])
  return [...new Set(addresses)].slice(0, mostAddresses)
}
