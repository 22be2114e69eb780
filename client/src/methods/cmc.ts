/** Params and results of methods: cmc. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

export interface CmcMethods {
  /** Read an offer of another account. */
  'cmc.readOffer': {
    params: { readonly capabilityUrl: string }
    result: {
      offer: { id: string; content: { [key: string]: unknown } }
      requester: { username: string; host: string }
    }
  }
  /** Get what another account has granted. */
  'cmc.getPeerAccess': {
    params: { readonly id: string }
    result: {
      peerAccess: {
        hasEnded: boolean
        permissions: { streamId: string; level: string; name: string }[]
        expires?: number
      }
    }
  }
}
