/** Params and results of methods: streams. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion, Stream, StreamTree } from './nouns.js'
import type { StreamsQuery } from '../streams-query.js'

export interface StreamsMethods {
  /** Create a stream. */
  'streams.create': {
    params: {
      readonly id?: string | null | undefined
      readonly name: string
      readonly parentId?: string | null | undefined
      readonly clientData?: { readonly [key: string]: unknown } | null | undefined
      readonly trashed?: boolean | null | undefined
    }
    result: { stream: Stream }
  }
  /** Trash a stream, or delete a trashed one. */
  'streams.delete': {
    params: { readonly id: string; readonly mergeEventsWithParent?: boolean | null | undefined }
    result:
      | { stream: Stream }
      | { updatedEvents: { id: string; action: string }[]; streamDeletion: ItemDeletion }
  }
  /** Get the stream tree. */
  'streams.get': {
    params: {
      readonly parentId?: string | null | undefined
      readonly state?: ('default' | 'all') | null | undefined
      readonly includeDeletionsSince?: number | null | undefined
    }
    result: { streams: StreamTree[]; streamDeletions?: ItemDeletion[] }
  }
  /** Get the streams above those of the access. */
  'streams.findAbove': {
    params: Record<string, never>
    result: { above: { id?: string; name: string; mark?: string; above?: number }[] }
  }
  /** Get the contents of each stream. */
  'streams.facts': {
    params: { readonly streams?: StreamsQuery | undefined }
    result: {
      facts: {
        streamId: string
        type: string
        count: number
        first: number
        last: number
        latest?: unknown
      }[]
    }
  }
  /** Update or move a stream. */
  'streams.update': {
    params: {
      readonly id: string
      readonly update: {
        readonly name?: string | undefined
        readonly parentId?: string | null | undefined
        readonly clientData?: { readonly [key: string]: unknown } | null | undefined
        readonly trashed?: boolean | null | undefined
      }
    }
    result: { stream: Stream }
  }
}
