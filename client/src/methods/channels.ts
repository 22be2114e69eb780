/** Params and results of methods: channels, webhooks. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion, Scopes, Webhook } from './nouns.js'

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
  /** Create a webhook. */
  'webhooks.create': {
    params: {
      readonly url: string
      readonly scopes?: Scopes | null | undefined
      readonly signed?: boolean | null | undefined
    }
    result: {
      webhook: {
        id: string
        accessId: string
        url: string
        state: 'active' | 'inactive'
        runCount: number
        failCount: number
        lastRun: { status: number; timestamp: number }
        runs: { status: number; timestamp: number }[]
        currentRetries: number
        maxRetries: number
        minIntervalMs: number
        scopes?: Scopes
        signed?: boolean
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
        secret?: string
      }
    }
  }
  /** Delete a webhook. */
  'webhooks.delete': { params: { readonly id: string }; result: { webhookDeletion: ItemDeletion } }
  /** Get a webhook. */
  'webhooks.getOne': { params: { readonly id: string }; result: { webhook: Webhook } }
  /** List webhooks. */
  'webhooks.get': { params: Record<string, never>; result: { webhooks: Webhook[] } }
  /** Test a webhook. */
  'webhooks.test': { params: { readonly id: string }; result: { webhook: Webhook } }
  /** Update or reactivate a webhook. */
  'webhooks.update': {
    params: {
      readonly id: string
      readonly update: {
        readonly state?: 'active' | 'inactive' | undefined
        readonly url?: string | undefined
        readonly scopes?: Scopes | null | undefined
      }
    }
    result: { webhook: Webhook }
  }
}
