/**
 * Queries the monitoring endpoints of the engine's servers, each for itself: what they report about each other may be
 * older.
 */

/** The state of a server. (https://docs.nats.io/running-a-nats-service/nats_admin/monitoring) */
export interface ServerState {
  readonly server_id: string
  readonly server_name: string
  readonly version: string
  readonly max_payload: number
}

/** JetStream of a server: its configuration, and the server's own copies of streams by their names. */
export interface JetStreamState {
  readonly isEnabled: boolean
  readonly syncsAlways: boolean
  readonly streams: ReadonlyMap<string, StreamState>
}

/** The state of a server's own copy of a stream. */
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

interface JetStreamAnswer {
  readonly disabled?: boolean
  readonly config?: { readonly sync_always?: boolean }
  readonly account_details?: readonly { readonly stream_detail?: readonly StreamState[] }[]
}

/** Time limit for an answer, in milliseconds. */
const timeoutMs = 2000

/** Fetches the state of a server; `undefined` if it does not answer. */
export async function fetchServerState(monitor: string): Promise<ServerState | undefined> {
  return (await fetchJson(monitor, 'varz')) as ServerState | undefined
}

/**
 * Fetches the state of a server's JetStream; `undefined` if it does not answer. The general state of a server
 * contains its configuration, too, but not until some time after it was started. Without streams, `streams`
 * is empty.
 */
export async function fetchJetStreamState(monitor: string): Promise<JetStreamState | undefined> {
  const answer = (await fetchJson(monitor, 'jsz?streams=1&config=1')) as JetStreamAnswer | undefined
  const streams = answer?.account_details?.flatMap(({ stream_detail = [] }) => stream_detail) ?? []
  return (
    answer && {
      isEnabled: answer.disabled !== true,
      syncsAlways: answer.config?.sync_always === true,
      streams: new Map(streams.map(stream => [stream.name, stream]))
    }
  )
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
