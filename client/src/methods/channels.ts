/** Params and results of methods: channels. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion } from './nouns.js'

export interface ChannelsMethods {
  /** Add a channel for notifications. */
  'channels.create': {
    params: {
      readonly type: 'web-push' | 'mail' | 'ntfy' | 'gotify' | 'apprise' | 'webhook' | 'person' | 'event'
      readonly name: string
      readonly target: { readonly [key: string]: unknown }
    }
    result: {
      channel: {
        id: string
        type: 'web-push' | 'mail' | 'ntfy' | 'gotify' | 'apprise' | 'webhook' | 'person' | 'event'
        name: string
        accessId: string
        target: {
          origin?: string
          digest?: string
          address?: string
          url?: string
          topic?: string
          accessId?: string
          streamId?: string
          hasToken?: boolean
          hasKey?: boolean
          hasSecret?: boolean
        }
        state: 'active' | 'ended'
        reason?: 'gone' | 'incomplete'
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
      }
    }
  }
  /** Remove a channel. */
  'channels.delete': { params: { readonly id: string }; result: { channelDeletion: ItemDeletion } }
  /** Get a channel with its last messages. */
  'channels.getOne': {
    params: { readonly id: string }
    result: {
      channel: {
        id: string
        type: 'web-push' | 'mail' | 'ntfy' | 'gotify' | 'apprise' | 'webhook' | 'person' | 'event'
        name: string
        accessId: string
        target: {
          origin?: string
          digest?: string
          address?: string
          url?: string
          topic?: string
          accessId?: string
          streamId?: string
          hasToken?: boolean
          hasKey?: boolean
          hasSecret?: boolean
        }
        state: 'active' | 'ended'
        reason?: 'gone' | 'incomplete'
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
      }
      deliveries: {
        id: string
        title: string
        source: { kind: 'rule' | 'reminder' | 'letter' | 'consent' | 'test' | 'summary'; id: string }
        state: 'waiting' | 'delivered' | 'failed' | 'held'
        attempts: number
        queued: number
        lastAttempt?: number
        nextAttempt?: number
        error?: {
          id:
            | 'access-ended'
            | 'address-not-confirmed'
            | 'channel-ended'
            | 'forbidden'
            | 'internal-address'
            | 'mail-refused'
            | 'mail-unavailable'
            | 'person-gone'
            | 'refused'
            | 'stream-gone'
            | 'timeout'
            | 'too-late'
            | 'unreachable'
          status?: number
        }
      }[]
    }
  }
  /** List channels for notifications. */
  'channels.get': {
    params: Record<string, never>
    result: {
      channels: {
        id: string
        type: 'web-push' | 'mail' | 'ntfy' | 'gotify' | 'apprise' | 'webhook' | 'person' | 'event'
        name: string
        accessId: string
        target: {
          origin?: string
          digest?: string
          address?: string
          url?: string
          topic?: string
          accessId?: string
          streamId?: string
          hasToken?: boolean
          hasKey?: boolean
          hasSecret?: boolean
        }
        state: 'active' | 'ended'
        reason?: 'gone' | 'incomplete'
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
      }[]
      webPushKey: string
    }
  }
  /** Send a test notification to a channel. */
  'channels.test': {
    params: { readonly id: string }
    result: {
      channel: {
        id: string
        type: 'web-push' | 'mail' | 'ntfy' | 'gotify' | 'apprise' | 'webhook' | 'person' | 'event'
        name: string
        accessId: string
        target: {
          origin?: string
          digest?: string
          address?: string
          url?: string
          topic?: string
          accessId?: string
          streamId?: string
          hasToken?: boolean
          hasKey?: boolean
          hasSecret?: boolean
        }
        state: 'active' | 'ended'
        reason?: 'gone' | 'incomplete'
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
      }
      deliveryId: string
    }
  }
  /** Change a channel, or use it again. */
  'channels.update': {
    params: {
      readonly id: string
      readonly update: {
        readonly name?: string | undefined
        readonly target?: { readonly [key: string]: unknown } | undefined
        readonly state?: 'active' | undefined
      }
    }
    result: {
      channel: {
        id: string
        type: 'web-push' | 'mail' | 'ntfy' | 'gotify' | 'apprise' | 'webhook' | 'person' | 'event'
        name: string
        accessId: string
        target: {
          origin?: string
          digest?: string
          address?: string
          url?: string
          topic?: string
          accessId?: string
          streamId?: string
          hasToken?: boolean
          hasKey?: boolean
          hasSecret?: boolean
        }
        state: 'active' | 'ended'
        reason?: 'gone' | 'incomplete'
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
      }
    }
  }
}
