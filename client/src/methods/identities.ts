/** Params and results of methods: identities. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

export interface IdentitiesMethods {
  /** Start linking an identity. */
  'identities.begin': { params: Record<string, never>; result: { secret: string } }
  /** Link an identity. */
  'identities.create': {
    params: { readonly ticket: string; readonly secret: string }
    result: {
      identity: {
        id: string
        provider: { name: string; label: string }
        issuer: string
        email?: string
        isUsable: boolean
        created: number
        lastUsed?: number
      }
    }
  }
  /** Unlink an identity. */
  'identities.delete': { params: { readonly id: string }; result: { identityDeletion: { id: string } } }
  /** List the linked identities of the user. */
  'identities.get': {
    params: Record<string, never>
    result: {
      identities: {
        id: string
        provider: { name: string; label: string }
        issuer: string
        email?: string
        isUsable: boolean
        created: number
        lastUsed?: number
      }[]
      hasPassword: boolean
      isSpare: boolean
    }
  }
}
