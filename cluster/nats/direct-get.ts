/**
 * Reads several messages of a stream at once, from whichever replica answers: it may lag behind the others, or hang, so
 * that the next attempt uses another one.
 */
import { createInbox, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { EngineUnavailable, type Entry } from '../engine.js'

/** What to read: messages of a subject from a sequence on, or the last one of each subject that matches a pattern. */
export type GetRequest =
  | {
      readonly seq: number
      readonly next_by_subj: string
      readonly batch: number
      readonly max_bytes: number
    }
  | { readonly multi_last: readonly string[]; readonly batch: number }

/** Time limit for a replica to send something, in milliseconds, and the number of attempts. */
const replicaTimeoutMs = 600
const maxAttempts = 4
/** Statuses of an answer without a message. */
const [endOfBatch, nothingFound] = [204, 404]

/** Reads messages in order. Rejects with `EngineUnavailable` if no replica answers. */
export async function getMessages(
  connection: NatsConnection,
  stream: string,
  request: GetRequest
): Promise<Entry[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await getOnce(connection, stream, request)
    } catch (error) {
      if (attempt === maxAttempts || connection.isClosed()) throw new EngineUnavailable(error)
    }
  }
}

function getOnce(connection: NatsConnection, stream: string, request: GetRequest): Promise<Entry[]> {
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
    const timer = setTimeout(() => end(new Error('No replica responded in time')), replicaTimeoutMs)
    connection.publish(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify(request), { reply: inbox })
  })
}
