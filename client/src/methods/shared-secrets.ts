/** Params and results of methods: sharedSecrets. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

export interface SharedSecretsMethods {
  /** Share a secret that can be retrieved once. */
  'sharedSecrets.create': {
    params: {
      readonly ttl: number
      readonly title: string
      readonly onConsumed: { readonly message: string; readonly returnUrl?: string | undefined }
      readonly secret: unknown
      readonly signature?: { readonly type: 'secret' | 'hmac-sha256'; readonly value: string } | undefined
      readonly keyHash?: string | undefined
    }
    result: {
      sharedSecret: {
        id: string
        status: 'pending' | 'consumed' | 'discarded'
        statusHistory: { status: 'pending' | 'consumed' | 'discarded'; time: number; info?: string }[]
        title: string
        expires: number
        expired?: true
        onConsumed: { message: string; returnUrl?: string }
        signatureType?: 'secret' | 'hmac-sha256'
        key?: string
      }
    }
  }
  /** Retrieve a shared secret, once. */
  'sharedSecrets.retrieve': {
    params: {
      readonly key: string
      readonly signature?: { readonly type: 'secret' | 'hmac-sha256'; readonly payload: string } | undefined
    }
    result: { secret: unknown }
  }
  /** Get the status of a shared secret. */
  'sharedSecrets.getOne': {
    params: { readonly key: string }
    result: {
      sharedSecret: {
        id: string
        status: 'pending' | 'consumed' | 'discarded'
        statusHistory: { status: 'pending' | 'consumed' | 'discarded'; time: number; info?: string }[]
        title: string
        expires: number
        expired?: true
        onConsumed: { message: string; returnUrl?: string }
        signatureType?: 'secret' | 'hmac-sha256'
      }
    }
  }
}
