/** Makes the streams of a cluster in its engine. Doing it again changes their limits, and nothing else. */
import type { Connected } from './connection.js'
import { ask, JetStreamError, refusal } from './jetstream.js'
import {
  bucketStream,
  bucketSubjects,
  platformStream,
  platformSubject,
  shardCount,
  shardStream,
  shardSubjects
} from './places.js'
import { objectsStream, objectsSubjects } from './object-places.js'

/** Most bytes on the disk of each server. The engine reserves them: they have to fit into its `max_file_store` together. */
export interface StreamLimits {
  /** Of the logs of each of the 64 shards. */
  readonly shardBytes: number
  readonly platformBytes: number
  readonly bucketBytes: number
  /** Of attachments and snapshots, where the engine keeps them; 0 for no stream of them. */
  readonly objectBytes: number
}

/** What all streams have in common. (https://docs.nats.io/nats-concepts/jetstream/streams) */
const common = {
  retention: 'limits',
  storage: 'file',
  num_replicas: 3,
  // What does not fit is refused; nothing that was written is ever dropped for something new.
  discard: 'new',
  max_msgs: -1,
  max_age: 0,
  max_consumers: -1,
  allow_direct: true,
  deny_delete: true
} as const

export interface StreamConfig {
  readonly name: string
  readonly subjects: readonly string[]
  readonly max_bytes: number
  readonly max_msgs_per_subject: number
}

/** For how long a stream may take to be made, in milliseconds. */
const patienceMs = 10_000
/** Streams that are made at once. */
const atOnce = 8

/** The streams of a cluster. */
export function streamsOf({
  bucketBytes,
  objectBytes,
  platformBytes,
  shardBytes
}: StreamLimits): StreamConfig[] {
  return [
    stream(platformStream, platformSubject, platformBytes),
    stream(bucketStream, bucketSubjects, bucketBytes, 1),
    ...(objectBytes > 0 ? [stream(objectsStream, objectsSubjects, objectBytes)] : []),
    ...Array.from({ length: shardCount }, (_, shard) =>
      stream(shardStream(shard), shardSubjects(shard), shardBytes)
    )
  ]
}

/** Makes the streams that are missing, and gives the others their limits. Rejects with `JetStreamError` or `EngineUnavailable`. */
export async function makeStreams(engine: Connected, streams: readonly StreamConfig[]): Promise<void> {
  const left = [...streams]
  const make = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) await makeStream(engine, next)
  }
  await Promise.all(Array.from({ length: atOnce }, make))
}

async function makeStream({ connection }: Connected, wanted: StreamConfig): Promise<void> {
  const config = { ...common, ...wanted }
  try {
    await ask(connection, `STREAM.CREATE.${wanted.name}`, config, patienceMs)
  } catch (error) {
    if (!(error instanceof JetStreamError) || error.code !== refusal.streamExists) throw error
    await ask(connection, `STREAM.UPDATE.${wanted.name}`, config, patienceMs)
  }
}

/** A stream with a limit of bytes, and perhaps one of messages of each subject. */
function stream(name: string, subjects: string, max_bytes: number, most = -1): StreamConfig {
  return { name, subjects: [subjects], max_bytes, max_msgs_per_subject: most }
}
