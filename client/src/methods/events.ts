/** Params and results of methods: events, previews. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { Attachment, Event, ItemDeletion } from './nouns.js'
import type { StreamsQuery } from '../streams-query.js'

export interface EventsMethods {
  /** Add files to an event. */
  'events.addAttachment': { params: { readonly id: string }; result: { event: Event } }
  /** Create an event, optionally with files. */
  'events.create': {
    params: {
      readonly id?: string | null | undefined
      readonly streamIds?: readonly string[] | null | undefined
      readonly streamId?: string | null | undefined
      readonly time?: number | null | undefined
      readonly duration?: number | null | undefined
      readonly content?: unknown
      readonly tags?: readonly string[] | null | undefined
      readonly description?: string | null | undefined
      readonly clientData?: { readonly [key: string]: unknown } | null | undefined
      readonly trashed?: boolean | null | undefined
      readonly type: string
    }
    result: { event: Event }
  }
  /** Delete an attachment. */
  'events.deleteAttachment': {
    params: { readonly id: string; readonly fileId: string }
    result: { event: Event }
  }
  /** Trash an event, or delete a trashed one. */
  'events.delete': {
    params: { readonly id: string }
    result: { event: Event } | { eventDeletion: ItemDeletion }
  }
  /** Export events as a table, GPX, FHIR or Parquet. */
  'events.export': {
    params: {
      readonly format: 'csv' | 'csv-wide' | 'json' | 'ndjson' | 'gpx' | 'fhir' | 'fhir-ndjson' | 'parquet'
      readonly streams?: StreamsQuery | undefined
      readonly tags?: readonly string[] | null | undefined
      readonly types?: readonly string[] | null | undefined
      readonly fromTime?: number | null | undefined
      readonly toTime?: number | null | undefined
      readonly running?: boolean | null | undefined
      readonly sortAscending?: boolean | null | undefined
      readonly skip?: number | null | undefined
      readonly limit?: number | null | undefined
      readonly state?: ('default' | 'trashed' | 'all') | null | undefined
      readonly content?: unknown
      readonly clientData?: unknown
      readonly text?: string | null | undefined
      readonly modifiedSince?: number | null | undefined
      readonly zone?: string | null | undefined
      readonly series?: boolean | null | undefined
      readonly columns?: readonly string[] | null | undefined
      readonly titles?: readonly string[] | null | undefined
      readonly bom?: boolean | null | undefined
    }
    result: { export: { mediaType: string; fileName: string; text?: string; base64?: string } }
  }
  /** Find the events whose streams are in the trash. */
  'events.findTrashed': { params: { readonly ids: readonly string[] }; result: { ids: string[] } }
  /** Download an attachment. */
  'events.getAttachment': {
    params: { readonly id: string; readonly fileId: string }
    result: { attachment: Attachment }
  }
  /** Get an event, optionally with its earlier versions. */
  'events.getOne': {
    params: { readonly id: string; readonly includeHistory?: boolean | null | undefined }
    result: { event: Event | ItemDeletion; history?: (Event | ItemDeletion)[] }
  }
  /** List events by time, streams, types and other criteria. */
  'events.get': {
    params: {
      readonly streams?: StreamsQuery | undefined
      readonly tags?: readonly string[] | null | undefined
      readonly types?: readonly string[] | null | undefined
      readonly fromTime?: number | null | undefined
      readonly toTime?: number | null | undefined
      readonly running?: boolean | null | undefined
      readonly sortAscending?: boolean | null | undefined
      readonly skip?: number | null | undefined
      readonly limit?: number | null | undefined
      readonly state?: ('default' | 'trashed' | 'all') | null | undefined
      readonly content?: unknown
      readonly clientData?: unknown
      readonly text?: string | null | undefined
      readonly modifiedSince?: number | null | undefined
      readonly includeDeletions?: boolean | null | undefined
    }
    result: { events: Event[]; eventDeletions?: ItemDeletion[] }
  }
  /** Aggregate numbers of events for a chart. */
  'events.sample': {
    params: {
      readonly streams?: StreamsQuery | undefined
      readonly types?: readonly string[] | null | undefined
      readonly fromTime: number
      readonly toTime: number
      readonly parts: number
      readonly field?: string | null | undefined
      readonly state?: ('default' | 'trashed' | 'all') | null | undefined
    }
    result: {
      samples: {
        time: number
        count: number
        min?: number
        max?: number
        mean?: number
        first?: number
        last?: number
      }[]
    }
  }
  /** Update an event. */
  'events.update': {
    params: {
      readonly id: string
      readonly update: {
        readonly streamIds?: readonly string[] | null | undefined
        readonly streamId?: string | null | undefined
        readonly time?: number | null | undefined
        readonly duration?: number | null | undefined
        readonly content?: unknown
        readonly tags?: readonly string[] | null | undefined
        readonly description?: string | null | undefined
        readonly clientData?: { readonly [key: string]: unknown } | null | undefined
        readonly trashed?: boolean | null | undefined
        readonly type?: string | undefined
      }
    }
    result: { event: Event }
  }
  /** Remove unused previews. */
  'previews.cleanUpCache': { params: Record<string, never>; result: { message: string } }
  /** Get a preview of an image. */
  'previews.get': {
    params: {
      readonly id: string
      readonly w?: number | undefined
      readonly width?: number | undefined
      readonly h?: number | undefined
      readonly height?: number | undefined
    }
    result: { preview: null | { fileId: string; frame: string; modified: number } }
  }
}
