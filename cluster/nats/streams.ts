/** Makes the streams of a cluster in its engine. Doing it again changes their limits, and nothing else. */
import type { Connected } from './connection.js'
import { callApi, JetStreamError, errorCodes } from './jetstream.js'
import {
  bucketStream,
  bucketSubjects,
  platformStream,
  platformSubject,
  shardCount,
  shardStream,
  shardSubjects
} from './subjects.js'
import { objectsStream, objectsSubjects } from './object-subjects.js'

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
const timeoutMs = 10_000
/** Streams that are made at once. */
const maxConcurrent = 8

/** The streams of a cluster. */
export function createStreamConfigs({
  bucketBytes,
  objectBytes,
  platformBytes,
  shardBytes
}: StreamLimits): StreamConfig[] {
  return [
    createConfig(platformStream, platformSubject, platformBytes),
    createConfig(bucketStream, bucketSubjects, bucketBytes, 1),
    ...(objectBytes > 0 ? [createConfig(objectsStream, objectsSubjects, objectBytes)] : []),
    ...Array.from({ length: shardCount }, (_, shard) =>
      createConfig(shardStream(shard), shardSubjects(shard), shardBytes)
    )
  ]
}

/** Makes the streams that are missing, and gives the others their limits. Rejects with `JetStreamError` or `EngineUnavailable`. */
export async function createStreams(engine: Connected, streams: readonly StreamConfig[]): Promise<void> {
  const remaining = [...streams]
  const work = async (): Promise<void> => {
    for (let next = remaining.shift(); next; next = remaining.shift()) await createStream(engine, next)
  }
  await Promise.all(Array.from({ length: maxConcurrent }, work))
}

async function createStream({ connection }: Connected, wanted: StreamConfig): Promise<void> {
  const config = { ...common, ...wanted }
  try {
    await callApi(connection, `STREAM.CREATE.${wanted.name}`, config, timeoutMs)
  } catch (error) {
    if (!(error instanceof JetStreamError) || error.code !== errorCodes.streamExists) throw error
    await callApi(connection, `STREAM.UPDATE.${wanted.name}`, config, timeoutMs)
  }
}

/** A stream with a limit of bytes, and perhaps one of messages of each subject. */
function createConfig(name: string, subjects: string, max_bytes: number, maxPerSubject = -1): StreamConfig {
  return { name, subjects: [subjects], max_bytes, max_msgs_per_subject: maxPerSubject }
}
