/** Reads connections, and again while data arrives. (docs/api/connections.md) */
import { useAccount } from '../data/account.js'
import { useReading, type Reading } from '../data/reading.js'
import { createStore } from '../data/store.js'
import { getApp, type Setup } from './app-catalogue.js'

/** A connection as the API returns it. Times are in seconds. */
export interface Connection {
  readonly id: string
  readonly dialect: string
  readonly name: string
  readonly accessId: string
  readonly streamId: string
  readonly sensitive: boolean
  readonly hasPassphrase: boolean
  /** User names. */
  readonly friends?: readonly string[]
  readonly url: string
  readonly created: number
  readonly lastHeard: number | null
  readonly received: number
  readonly notUnderstood: Readonly<Record<string, number>>
  /** Bodies of any JSON that wait for a mapping, oldest first. */
  readonly waiting: readonly { readonly time: number; readonly body: unknown }[]
  readonly mapping?: Mapping | readonly Mapping[]
  readonly lastProblem: { readonly time: number; readonly id?: string; readonly message: string } | null
}

/** How a field of any JSON becomes events. Pointers are JSON pointers (RFC 6901). (docs/api/connections.md#any-json) */
export interface Mapping {
  readonly items?: string
  readonly value: string
  /** The members of a content that is an object, each with its pointer from the value. */
  readonly fields?: Readonly<Record<string, string>>
  readonly type: string
  readonly stream?: string
  readonly measure?: string
  readonly time?: string
  readonly end?: string
  readonly duration?: string
  readonly unit?: string
  readonly source?: string
  readonly description?: string
  readonly zone?: string
}

/** A new connection, with what is shown only once. */
export interface NewConnection extends Connection, Setup {
  /** Sets the app up when it is opened on the phone. */
  readonly link?: string
}

export interface Dialect {
  readonly id: string
  /** Name of the app or protocol. */
  readonly name: string
}

interface Read {
  readonly connections: readonly Connection[]
  readonly dialects: readonly Dialect[]
  /** Time of the service, in seconds. */
  readonly now: number
}

/** Milliseconds between reads: while data arrives, and without live changes, as requests without data cause none. */
const minIntervalMs = 1000
const pollIntervalMs = 10_000

/** The connection that was just created. It is kept until the user leaves it, and in this tab only. */
export const newConnection = createStore<NewConnection | undefined>(undefined)

/**
 * Returns all connections, or why they cannot be read, and reads them again while data arrives and from time
 * to time. Keeps the last result while that fails.
 */
export function useConnections(): Reading<Read> {
  const { client } = useAccount()
  const call = async (): Promise<Read> => {
    const found = await client.call<Omit<Read, 'now'>>('connections.get')
    return { ...found, now: client.serverTime ?? Date.now() / 1000 }
  }
  return useReading(call, [client], { everyMs: () => pollIntervalMs, followMs: minIntervalMs })
}

/** What is known of the state of a connection. */
type State = 'waiting' | 'failing' | 'silent' | 'fine'

/**
 * Returns the state of a connection at a time in seconds: `waiting` for its first value, `failing` if its
 * last request failed, `silent` if it has not sent anything for longer than usual for its app, otherwise
 * `fine`.
 */
export function getState({ dialect, lastHeard, lastProblem, received }: Connection, now: number): State {
  if (lastHeard === null) return 'waiting'
  // The last request failed.
  if (lastProblem && lastProblem.time >= lastHeard) return 'failing'
  if (now - lastHeard > getApp(dialect).quietHours * 3600) return 'silent'
  return received === 0 ? 'waiting' : 'fine'
}
