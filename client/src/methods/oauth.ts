/** Params and results of methods: oauth. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

export interface OauthMethods {
  /** Accept the offer that an OAuth client asks for. */
  'oauth.acceptOffer': {
    params: {
      readonly state: string
      readonly grantedPermissions?: readonly { readonly [key: string]: unknown }[] | undefined
      readonly accessName?: string | undefined
      readonly expires?: number | undefined
      readonly features?: { readonly [key: string]: unknown } | undefined
      readonly ownStreams?: { readonly [key: string]: string } | undefined
    }
    result: { redirectTo: string }
  }
  /** Read the offer that an OAuth client asks for. */
  'oauth.readOffer': {
    params: { readonly state: string }
    result: {
      offer: { id: string; content: { [key: string]: unknown } }
      requester: { username: string; host: string }
      client: { id: string; name?: string }
      returnTo: string
    }
  }
  /** Request an access by OAuth. */
  'oauth.authorize': {
    params: { readonly [key: string]: string | readonly string[] }
    result: { redirect: string }
  }
  /** Get the keys that verify ID tokens. */
  'oauth.getKeys': {
    params: { readonly purpose?: 'receipts' | null | undefined }
    result: { keys: { [key: string]: unknown }[] }
  }
  /** Get the signed-in user. */
  'oauth.getUserInfo': {
    params: Record<string, never>
    result: { sub: string; preferred_username?: string; email?: string; email_verified?: boolean }
  }
  /** Get the state of a token, as its client. */
  'oauth.introspect': {
    params: {
      readonly client_id?: string | undefined
      readonly client_secret?: string | undefined
      readonly client_assertion_type?: string | undefined
      readonly client_assertion?: string | undefined
      readonly token?: string | undefined
      readonly token_type_hint?: string | undefined
    }
    result: {
      active: boolean
      scope?: string
      client_id?: string
      username?: string
      token_type?: string
      exp?: number
      iat?: number
      sub?: string
      iss?: string
      patient?: string
      fhirUser?: string
      cnf?: { jkt: string }
    }
  }
  /** Register an OAuth client, if registration is turned on. */
  'oauth.register': {
    params: {
      readonly redirect_uris: readonly string[]
      readonly client_name?: string | undefined
      readonly token_endpoint_auth_method?: string | undefined
      readonly grant_types?: readonly string[] | undefined
      readonly response_types?: readonly string[] | undefined
      readonly scope?: string | undefined
    }
    result: { client_id: string; client_secret?: string }
  }
  /** Verify the proof of a key. */
  'oauth.prove': { params: { readonly [key: string]: unknown }; result: { key?: string; problem?: string } }
  /** Revoke a token, as its client. */
  'oauth.revoke': {
    params: {
      readonly client_id?: string | undefined
      readonly client_secret?: string | undefined
      readonly client_assertion_type?: string | undefined
      readonly client_assertion?: string | undefined
      readonly token?: string | undefined
      readonly token_type_hint?: string | undefined
    }
    result: { [key: string]: unknown }
  }
  /** Exchange a code or a refresh token for an access token. */
  'oauth.token': {
    params: {
      readonly client_id?: string | undefined
      readonly client_secret?: string | undefined
      readonly client_assertion_type?: string | undefined
      readonly client_assertion?: string | undefined
      readonly grant_type?: string | undefined
      readonly code?: string | undefined
      readonly redirect_uri?: string | undefined
      readonly code_verifier?: string | undefined
      readonly refresh_token?: string | undefined
      readonly scope?: string | undefined
    }
    result: {
      access_token: string
      token_type: 'Bearer' | 'DPoP'
      expires_in?: number
      scope: string
      refresh_token?: string
      id_token?: string
      api_endpoint: string
      apiEndpoint: string
      username: string
      patient?: string
    }
  }
  /** List OAuth clients and their keys. */
  'oauth.getClients': {
    params: Record<string, never>
    result: {
      clients: {
        id: string
        name: string | null
        isSelfRegistered: boolean
        account: string | null
        revoked: number | null
        keys: { kid: string; isRevoked: boolean }[]
      }[]
    }
  }
  /** Revoke an OAuth client with all its accesses. */
  'oauth.revokeClient': {
    params: { readonly client: string }
    result: { client: { id: string; revoked: number } }
  }
  /** Revoke a key of an OAuth client. */
  'oauth.revokeClientKey': {
    params: { readonly client: string; readonly kid: string }
    result: { key: { kid: string; isRevoked: boolean } }
  }
  /** Allow a revoked key of an OAuth client again. */
  'oauth.restoreClientKey': {
    params: { readonly client: string; readonly kid: string }
    result: { key: { kid: string; isRevoked: boolean } }
  }
}
