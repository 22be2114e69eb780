/** Params and results of methods: audit. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { Attachment } from './nouns.js'
import type { StreamsQuery } from '../streams-query.js'

export interface AuditMethods {
  /** List audit records. */
  'audit.get': {
    params: {
      readonly accessId?: string | null | undefined
      readonly fromTime?: number | null | undefined
      readonly toTime?: number | null | undefined
      readonly status?: (number | string) | null | undefined
      readonly ip?: string | null | undefined
      readonly httpVerb?: string | null | undefined
      readonly resource?: string | null | undefined
      readonly errorId?: string | null | undefined
      readonly streams?: StreamsQuery | undefined
      readonly types?: readonly string[] | null | undefined
      readonly sortAscending?: boolean | null | undefined
      readonly skip?: number | null | undefined
      readonly limit?: number | null | undefined
      readonly modifiedSince?: number | null | undefined
    }
    result: {
      auditLogs: {
        id: string
        streamIds: string[]
        streamId: string
        time: number
        duration?: number | null
        type: 'audit/core'
        content?: unknown
        tags?: string[]
        description?: string
        attachments?: Attachment[]
        clientData?: { [key: string]: unknown }
        trashed?: boolean
        integrity?: string
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
        forwardedFor: string
        action: string
        query?: string
        accessId: string
        status: number
        errorId?: string
        errorMessage?: string
      }[]
    }
  }
}
