/** Asks the servers of the engine how they are, each for itself: what they tell each other may be older. */

/** What a server says of itself. (https://docs.nats.io/running-a-nats-service/nats_admin/monitoring) */
export interface ServerState {
  readonly server_id: string
  readonly server_name: string
  readonly version: string
  readonly max_payload: number
  readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } }
}

/** What a server says of its own copy of a stream. */
export interface StreamState {
  readonly name: string
  readonly cluster?: { readonly leader?: string }
  readonly config?: {
    readonly num_replicas?: number
    readonly storage?: string
    readonly discard?: string
    readonly allow_direct?: boolean
  }
  readonly state: {
    readonly messages: number
    readonly bytes: number
    readonly first_seq: number
    readonly last_seq: number
  }
}

interface Accounts {
  readonly account_details?: readonly { readonly stream_detail?: readonly StreamState[] }[]
}

/** For how long a server may take to answer, in milliseconds. */
const timeoutMs = 2000

/** How a server is; `undefined` if it does not say so. */
export async function fetchServerState(monitor: string): Promise<ServerState | undefined> {
  return (await fetchJson(monitor, 'varz')) as ServerState | undefined
}

/** The server's copies of streams, by their names; `undefined` if it does not say so. */
export async function fetchStreamStates(
  monitor: string
): Promise<ReadonlyMap<string, StreamState> | undefined> {
  const answer = (await fetchJson(monitor, 'jsz?streams=1&config=1')) as Accounts | undefined
  const streams = answer?.account_details?.flatMap(({ stream_detail = [] }) => stream_detail)
  return answer && new Map((streams ?? []).map(stream => [stream.name, stream]))
}

async function fetchJson(monitor: string, path: string): Promise<unknown> {
  try {
    const base = monitor.endsWith('/') ? monitor : `${monitor}/`
    const answer = await fetch(new URL(path, base), { signal: AbortSignal.timeout(timeoutMs) })
    return answer.ok ? await answer.json() : undefined
  } catch {
    return undefined
  }
}
