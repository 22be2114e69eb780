/**
 * Reads several messages of a stream at once, from whichever replica answers: it may lag behind the others, or hang, so
 * that the next attempt uses another one.
 */
import { createInbox, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { EngineUnavailable, type Entry } from '../engine.js'

/**
 * What to read: messages of a subject from a sequence on, or the last message of each subject that matches a pattern.
 */
export type GetRequest =
  | {
      readonly seq: number
      readonly next_by_subj: string
      readonly batch: number
      readonly max_bytes: number
    }
  | { readonly multi_last: readonly string[]; readonly batch: number }

/**
 * Time limits for a replica to send something, in milliseconds, one for each attempt. A replica that hangs should cost
 * little time; if no replica is that fast, all are busy.
 */
const replicaTimeoutsMs = [600, 600, 1200, 2400]
/** Statuses of an answer without a message. */
const [endOfBatch, nothingFound] = [204, 404]

/** Reads messages in order. Rejects with `EngineUnavailable` if no replica answers. */
export async function getMessages(
  connection: NatsConnection,
  stream: string,
  request: GetRequest
): Promise<Entry[]> {
  let cause: unknown
  for (const timeoutMs of replicaTimeoutsMs)
    try {
      return await getOnce(connection, stream, request, timeoutMs)
    } catch (error) {
      cause = error
      if (connection.isClosed()) break
    }
  throw new EngineUnavailable(cause)
}

/** Sends one request to whichever replica answers. Rejects if nothing arrives within the time limit. */
function getOnce(
  connection: NatsConnection,
  stream: string,
  request: GetRequest,
  timeoutMs: number
): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    const inbox = createInbox()
    const end = (error?: Error): void => {
      clearTimeout(timer)
      subscription.unsubscribe()
      if (error) reject(error)
      else resolve(entries)
    }
    const receive = ({ data, headers }: Msg): void => {
      timer.refresh()
      const { code, description } = headers ?? { code: 0, description: 'not a message of a stream' }
      // If a connection is lost, messages sent meanwhile are lost as well, and the rest arrives on the next one.
      const before = Number(headers?.get('Nats-Last-Sequence') ?? 0)
      if (before !== (entries.at(-1)?.sequence ?? 0) && code !== nothingFound)
        end(new Error('A part of the answer is missing'))
      else if (code === endOfBatch || code === nothingFound) end()
      else if (code !== 0 || !headers) end(new Error(`${code} ${description}`))
      else
        entries.push({
          subject: headers.get('Nats-Subject'),
          sequence: Number(headers.get('Nats-Sequence')),
          bytes: data
        })
    }
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => (error ? end(error) : receive(message))
    })
    const timer = setTimeout(() => end(new Error('No replica responded in time')), timeoutMs)
    connection.publish(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify(request), { reply: inbox })
  })
}
