/** Shows what a mapping makes of the bodies that wait for it, before it is stored. (docs/api/connections.md#any-json) */
import { Type, type Static } from 'typebox'
import type { ReceivedMappings } from '../../schemas/received-mapping.js'
import { Timestamp } from '../../schemas/scalars.js'
import type { StoredConnection } from '../../storage/connections/connection-repository.js'
import type { DialectInfo } from '../call/dialects.js'
import type { Call } from '../call/method.js'
import { ApiError } from '../errors.js'

/** Maximum number of values that are shown, of items that are read of each list, and of characters of a content. */
const maxValues = 20
const maxItems = 20
const maxContentLength = 1000
const maxTextLength = 200

/** A value as it would be stored. */
const PreviewedValue = Type.Object({
  time: Timestamp,
  /** Seconds. */
  duration: Type.Optional(Type.Number()),
  type: Type.String(),
  /** Name of the stream. */
  stream: Type.String(),
  /** The device. */
  source: Type.String(),
  /** Id of the measure, if the mapping names one. */
  measure: Type.Optional(Type.String()),
  /** Missing if it is long. */
  content: Type.Optional(Type.Unknown()),
  description: Type.Optional(Type.String())
})
type PreviewedValue = Static<typeof PreviewedValue>

/** What a mapping makes of waiting bodies. */
export const MappingPreview = Type.Object({
  /** The values; those of the newest body come first. */
  values: Type.Array(PreviewedValue),
  /** Numbers of items that would not be stored, by the name of the field. */
  notUnderstood: Type.Record(Type.String(), Type.Integer({ minimum: 0 }))
})
export type MappingPreview = Static<typeof MappingPreview>

/**
 * Reads the first items of each waiting body as a mapping says, which has been checked. Items whose content
 * does not match their type count as not understood. Stores nothing. Returns at most 20 values, but counts all
 * items that are not understood.
 */
export function previewMapping(
  { services }: Pick<Call, 'services'>,
  dialect: DialectInfo,
  { arrivals, connection }: StoredConnection,
  mapping: ReceivedMappings
): MappingPreview {
  const values: PreviewedValue[] = []
  const counts = new Map<string, number>()
  const skip = (kind: string, count = 1): void => void counts.set(kind, (counts.get(kind) ?? 0) + count)
  for (const waiting of arrivals.waiting.toReversed()) {
    const reading = dialect.readWaiting?.(waiting, { ...connection, mapping }, maxItems)
    for (const [kind, count] of reading?.notUnderstood ?? []) skip(kind, count)
    for (const record of reading?.records ?? []) {
      const { content, description, duration, kind, source, stream, time, type } = record
      try {
        services.eventTypes.check(type, content)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        skip(kind)
        continue
      }
      if (values.length >= maxValues) continue
      values.push({
        time,
        ...(typeof duration === 'number' && { duration }),
        type,
        stream: stream.slice(0, maxTextLength),
        source: source.slice(0, maxTextLength),
        ...(record.measure !== undefined && { measure: record.measure }),
        ...(JSON.stringify(content).length <= maxContentLength && { content }),
        ...(description !== undefined && { description: description.slice(0, maxTextLength) })
      })
    }
  }
  return { values, notUnderstood: Object.fromEntries(counts) }
}
