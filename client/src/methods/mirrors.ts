/** Params and results of methods: mirrors. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion } from './nouns.js'

export interface MirrorsMethods {
  /** Keep a copy of what a person has shared. */
  'mirrors.create': {
    params: { readonly accessId: string }
    result: {
      mirror: {
        id: string
        accessId: string
        person: { username: string; host: string }
        streamId: string
        state: 'starting' | 'live' | 'erasing' | 'erased'
        created: number
        lastContact?: number
        lastComparison?: number
        error?: {
          id:
            | 'internal-address'
            | 'odd-response'
            | 'over-quota'
            | 'refused'
            | 'timeout'
            | 'too-large'
            | 'too-many-events'
            | 'unreachable'
          status?: number
        }
        events: number
        skipped: number
        ended?: { reason: 'revoked' | 'deleted' | 'relationship-ended'; time: number }
        erased?: number
        receipt?: string
      }
    }
  }
  /** End a mirror, and erase its copy. */
  'mirrors.delete': {
    params: { readonly id: string }
    result:
      | {
          mirror: {
            id: string
            accessId: string
            person: { username: string; host: string }
            streamId: string
            state: 'starting' | 'live' | 'erasing' | 'erased'
            created: number
            lastContact?: number
            lastComparison?: number
            error?: {
              id:
                | 'internal-address'
                | 'odd-response'
                | 'over-quota'
                | 'refused'
                | 'timeout'
                | 'too-large'
                | 'too-many-events'
                | 'unreachable'
              status?: number
            }
            events: number
            skipped: number
            ended?: { reason: 'revoked' | 'deleted' | 'relationship-ended'; time: number }
            erased?: number
            receipt?: string
          }
        }
      | { mirrorDeletion: ItemDeletion }
  }
  /** Get a mirror. */
  'mirrors.getOne': {
    params: { readonly id: string }
    result: {
      mirror: {
        id: string
        accessId: string
        person: { username: string; host: string }
        streamId: string
        state: 'starting' | 'live' | 'erasing' | 'erased'
        created: number
        lastContact?: number
        lastComparison?: number
        error?: {
          id:
            | 'internal-address'
            | 'odd-response'
            | 'over-quota'
            | 'refused'
            | 'timeout'
            | 'too-large'
            | 'too-many-events'
            | 'unreachable'
          status?: number
        }
        events: number
        skipped: number
        ended?: { reason: 'revoked' | 'deleted' | 'relationship-ended'; time: number }
        erased?: number
        receipt?: string
      }
    }
  }
  /** List mirrors. */
  'mirrors.get': {
    params: Record<string, never>
    result: {
      mirrors: {
        id: string
        accessId: string
        person: { username: string; host: string }
        streamId: string
        state: 'starting' | 'live' | 'erasing' | 'erased'
        created: number
        lastContact?: number
        lastComparison?: number
        error?: {
          id:
            | 'internal-address'
            | 'odd-response'
            | 'over-quota'
            | 'refused'
            | 'timeout'
            | 'too-large'
            | 'too-many-events'
            | 'unreachable'
          status?: number
        }
        events: number
        skipped: number
        ended?: { reason: 'revoked' | 'deleted' | 'relationship-ended'; time: number }
        erased?: number
        receipt?: string
      }[]
      keptCopies: {
        accessId: string
        state: 'live' | 'erased'
        lastContact: number
        erased?: number
        receipt?: string
      }[]
    }
  }
  /** Tell that a mirror is out of date. */
  'mirrors.notify': {
    params: {
      readonly id: string
      readonly key: string
      readonly messages?: unknown
      readonly meta?: unknown
    }
    result: { received: true }
  }
  /** Report what was read of a copy. */
  'mirrors.report': {
    params: {
      readonly number: number
      readonly state: 'live' | 'erased'
      readonly reads: readonly {
        readonly day: number
        readonly reader: string
        readonly streamId: string
        readonly calls: number
        readonly events: number
      }[]
      readonly receipt?: string | undefined
    }
    result: { received: true }
  }
  /** Report that a copy is erased. */
  'mirrors.reportErasure': {
    params: {
      readonly number: number
      readonly state: 'live' | 'erased'
      readonly reads: readonly {
        readonly day: number
        readonly reader: string
        readonly streamId: string
        readonly calls: number
        readonly events: number
      }[]
      readonly receipt?: string | undefined
    }
    result: { received: true }
  }
}
