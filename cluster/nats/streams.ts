/** Creates the streams of a cluster in its engine. Running it again only changes the limits of the streams. */
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

/**
 * Maximum sizes in bytes on the disk of each server. The engine reserves them: together they have to fit into its
 * `max_file_store`.
 */
export interface StreamLimits {
  /** Limit for the logs of each of the 64 shards. */
  readonly shardBytes: number
  readonly platformBytes: number
  readonly bucketBytes: number
  /** Limit for attachments and snapshots, if the engine stores them; 0 if that stream is not needed. */
  readonly objectBytes: number
}

/** The common configuration of all streams. (https://docs.nats.io/nats-concepts/jetstream/streams) */
const common = {
  retention: 'limits',
  storage: 'file',
  num_replicas: 3,
  // Writes beyond the limit are refused; stored messages are never dropped.
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

/** Time limit for creating a stream, in milliseconds. */
const timeoutMs = 10_000
/** Number of streams created concurrently. */
const maxConcurrent = 8

/** Creates the configurations of the streams of a cluster. */
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

/** Creates missing streams, and updates the limits of the others. Rejects with `JetStreamError` or `EngineUnavailable`. */
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

/** Creates the configuration of a stream with a maximum size, and optionally a maximum number of messages per subject. */
function createConfig(name: string, subjects: string, max_bytes: number, maxPerSubject = -1): StreamConfig {
  return { name, subjects: [subjects], max_bytes, max_msgs_per_subject: maxPerSubject }
}
