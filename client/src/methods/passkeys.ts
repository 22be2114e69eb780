/** Params and results of methods: passkeys. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion } from './nouns.js'

export interface PasskeysMethods {
  /** Start adding a passkey. */
  'passkeys.challenge': {
    params: {
      readonly purpose: 'prove' | 'add'
      readonly password?: string | null | undefined
      readonly credential?:
        | {
            readonly id: string
            readonly rawId: string
            readonly type: 'public-key'
            readonly authenticatorAttachment?: unknown
            readonly clientExtensionResults?: unknown
            readonly response: {
              readonly clientDataJSON: string
              readonly authenticatorData: string
              readonly signature: string
              readonly userHandle?: string | null | undefined
            }
          }
        | null
        | undefined
    }
    result:
      | {
          request: {
            challenge: string
            rpId: string
            timeout: number
            userVerification: 'required'
            allowCredentials: { id: string; type: 'public-key'; transports: string[] }[]
          }
        }
      | {
          creation: {
            challenge: string
            rp: { id: string; name: string }
            user: { id: string; name: string; displayName: string }
            pubKeyCredParams: { type: 'public-key'; alg: number }[]
            timeout: number
            attestation: 'none'
            authenticatorSelection: {
              residentKey: 'required'
              requireResidentKey: true
              userVerification: 'required'
            }
            excludeCredentials: { id: string; type: 'public-key'; transports: string[] }[]
          }
        }
  }
  /** Add a passkey. */
  'passkeys.create': {
    params: {
      readonly credential: {
        readonly id: string
        readonly rawId: string
        readonly type: 'public-key'
        readonly authenticatorAttachment?: unknown
        readonly clientExtensionResults?: unknown
        readonly response: {
          readonly clientDataJSON: string
          readonly attestationObject: string
          readonly transports?: readonly string[] | undefined
        }
      }
      readonly name?: string | null | undefined
    }
    result: { passkey: { id: string; name: string; created: number; lastUsed?: number; isSynced: boolean } }
  }
  /** Remove a passkey. */
  'passkeys.delete': { params: { readonly id: string }; result: { passkeyDeletion: ItemDeletion } }
  /** List the passkeys of the user. */
  'passkeys.get': {
    params: Record<string, never>
    result: {
      passkeys: { id: string; name: string; created: number; lastUsed?: number; isSynced: boolean }[]
      hasPassword: boolean
    }
  }
  /** Rename a passkey. */
  'passkeys.update': {
    params: { readonly id: string; readonly update: { readonly name?: string | undefined } }
    result: { passkey: { id: string; name: string; created: number; lastUsed?: number; isSynced: boolean } }
  }
}
