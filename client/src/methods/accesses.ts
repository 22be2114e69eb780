/** Params and results of methods: accesses, getAccessInfo. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { Access, ItemDeletion, Permission, PublicAccess } from './nouns.js'

export interface AccessesMethods {
  /** Compare a request of an app with its existing accesses. */
  'accesses.checkApp': {
    params: {
      readonly requestingAppId: string
      readonly deviceName?: string | null | undefined
      readonly requestedPermissions: readonly (
        | {
            readonly streamId: string
            readonly level: 'none' | 'read' | 'create-only' | 'contribute' | 'manage'
            readonly defaultName?: string | null | undefined
            readonly name?: string | null | undefined
          }
        | {
            readonly feature: 'selfRevoke' | 'selfAudit' | 'secretSharing'
            readonly setting: 'allowed' | 'forbidden'
          }
      )[]
      readonly clientData?: { readonly [key: string]: unknown } | null | undefined
      readonly requestKey?: string | null | undefined
    }
    result: {
      matchingAccess?: Access
      mismatchingAccess?: Access
      checkedPermissions?: (
        | {
            streamId: string
            level: 'none' | 'read' | 'create-only' | 'contribute' | 'manage'
            defaultName?: string | null
            name?: string | null
          }
        | { feature: 'selfRevoke' | 'selfAudit' | 'secretSharing'; setting: 'allowed' | 'forbidden' }
      )[]
      error?: { id: string; message: string }
      consent?: {
        isNeeded: boolean
        asked: { returnTo?: string; origin?: string; network: string; isNear: boolean }
        agreed: { returnTo?: string; origin?: string; network: string }[]
      }
      streams?: {
        streamId: string
        path: { id: string; name: string }[]
        isOfAccount: boolean
        creator?: { type: string; name: string; deviceName?: string }
        accesses: {
          type: string
          name: string
          deviceName?: string
          level: 'none' | 'read' | 'create-only' | 'contribute' | 'manage'
        }[]
        more: number
      }[]
    }
  }
  /** Create an access. */
  'accesses.create': {
    params: {
      readonly name: string
      readonly permissions: readonly (
        | {
            readonly streamId: string
            readonly level: 'none' | 'read' | 'create-only' | 'contribute' | 'manage'
            readonly defaultName?: string | null | undefined
            readonly name?: string | null | undefined
          }
        | {
            readonly feature: 'selfRevoke' | 'selfAudit' | 'secretSharing'
            readonly setting: 'allowed' | 'forbidden'
          }
      )[]
      readonly type?: ('personal' | 'app' | 'shared') | null | undefined
      readonly token?: string | null | undefined
      readonly deviceName?: string | null | undefined
      readonly expireAfter?: number | null | undefined
      readonly clientData?: { readonly [key: string]: unknown } | undefined
      readonly randomAlias?: boolean | null | undefined
    }
    result: { access: PublicAccess }
  }
  /** Delete an access and the accesses it created. */
  'accesses.delete': {
    params: { readonly id: string }
    result: { accessDeletion: ItemDeletion; relatedDeletions?: ItemDeletion[] }
  }
  /** Get an access. */
  'accesses.getOne': {
    params: { readonly id: string; readonly includeHistory?: boolean | null | undefined }
    result: { access: PublicAccess; current?: string; history?: PublicAccess[] }
  }
  /** List the accesses that the caller can manage. */
  'accesses.get': {
    params: {
      readonly includeExpired?: boolean | null | undefined
      readonly includeDeletions?: boolean | null | undefined
    }
    result: { accesses: PublicAccess[]; accessDeletions?: Access[] }
  }
  /** Get the consent receipt of an access. */
  'accesses.getReceipt': {
    params: { readonly id: string }
    result: {
      receipt: {
        '@context': { [key: string]: unknown }
        type: 'ConsentRecord'
        conformsTo: 'ISO/IEC TS 27560:2023'
        id: string
        version: number
        issued: string
        issuer: string
        hasDataSubject: { username: string; service: string }
        hasRecipient: {
          kind: 'app' | 'person' | 'link'
          name: string
          clientId?: string
          username?: string
          host?: string
        }
        hasNotice: {
          texts: { [key: string]: { [key: string]: string } }
          sha256: string
          version: number
          language?: string
          shown?: { time: string; service: string; software: string }
        } | null
        hasPersonalData: { streamId: string; name: string; level: string; hasProcessing: string[] }[]
        hasLegalBasis?: 'Consent'
        hasConsentStatus: 'ConsentGiven' | 'ConsentExpired'
        given: string
        changed: string
        validUntil: string | null
        withdrawal: { method: string; page?: string }
        evidence: { auditStreamId: string; auditEventId?: string; integrity?: string }
      }
      jws: string
    }
  }
  /** Update an access. */
  'accesses.update': {
    params: {
      readonly id: string
      readonly update: {
        readonly name?: string | undefined
        readonly deviceName?: string | null | undefined
        readonly permissions?:
          | readonly (
              | {
                  readonly streamId: string
                  readonly level: 'none' | 'read' | 'create-only' | 'contribute' | 'manage'
                  readonly defaultName?: string | null | undefined
                  readonly name?: string | null | undefined
                }
              | {
                  readonly feature: 'selfRevoke' | 'selfAudit' | 'secretSharing'
                  readonly setting: 'allowed' | 'forbidden'
                }
            )[]
          | undefined
        readonly expireAfter?: number | null | undefined
        readonly expires?: null | undefined
        readonly clientData?: { readonly [key: string]: unknown } | null | undefined
      }
    }
    result: { access: PublicAccess }
  }
  /** Get the current access. */
  getAccessInfo: {
    params: { readonly [key: string]: unknown }
    result: {
      id: string
      token?: string
      type: 'personal' | 'app' | 'shared'
      name: string
      deviceName?: string
      permissions?: Permission[]
      endedPermissions?: {
        streamId: string
        level: 'none' | 'read' | 'create-only' | 'contribute' | 'manage'
        since: number
        until: number
      }[]
      lastUsed?: number
      expires?: number
      alias?: string
      clientData?: { [key: string]: unknown }
      deleted?: number
      integrity?: string
      created: number
      createdBy: string
      modified: number
      modifiedBy: string
      apiEndpoint?: string
      oauth?: {
        clientId: string
        clientName?: string
        scopes: string[]
        granted: number
        refreshed?: number
        renewableUntil?: number
      }
      calls: { [key: string]: number }
      user: { username: string; passwordExpires?: number; passwordCanBeChanged?: number; isOperator?: true }
    }
  }
}
