/** Params and results of methods: webhooks. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion, Scopes, Webhook } from './nouns.js'

export interface WebhooksMethods {
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
