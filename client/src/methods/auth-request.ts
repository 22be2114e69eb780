/** Params and results of methods: authRequest. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

export interface AuthRequestMethods {
  /** Create an access request for an app. */
  'authRequest.create': {
    params: {
      readonly requestingAppId: string
      readonly requestedPermissions: readonly { readonly [key: string]: unknown }[]
      readonly languageCode?: string | null | undefined
      readonly returnURL?: string | boolean | null | undefined
      readonly authUrl?: string | null | undefined
      readonly serviceInfo?: { readonly name: string } | null | undefined
      readonly clientData?: { readonly [key: string]: unknown } | null | undefined
      readonly deviceName?: string | null | undefined
      readonly expireAfter?: number | null | undefined
      readonly referer?: string | null | undefined
      readonly oauthState?: string | null | undefined
    }
    result: {
      requestingAppId: string
      requestedPermissions: { [key: string]: unknown }[]
      lang: string
      returnURL?: string | false
      oauthState?: string
      clientData?: { [key: string]: unknown }
      serviceInfo: { [key: string]: unknown }
      deviceName?: string
      expireAfter?: number
      referer?: string
      code: number
      status: 'NEED_SIGNIN'
      key: string
      url: string
      authUrl: string
      poll: string
      oauth?: { scopes: string[]; clientName?: string; isSelfRegistered?: true; isAsked: boolean }
      poll_rate_ms: number
    }
  }
  /** Accept or deny an access request. */
  'authRequest.decide': {
    params: {
      readonly key: string
      readonly status: 'ACCEPTED' | 'REFUSED' | 'ERROR' | 'REDIRECTED'
      readonly redirectUrl?: string | null | undefined
      readonly apiEndpoint?: string | null | undefined
      readonly username?: string | null | undefined
      readonly token?: string | null | undefined
      readonly reasonID?: string | null | undefined
      readonly reasonId?: string | null | undefined
      readonly id?: string | null | undefined
      readonly message?: string | null | undefined
      readonly detail?: string | null | undefined
      readonly notice?: { readonly language: string; readonly texts: readonly string[] } | null | undefined
    }
    result: (
      | {
          requestingAppId: string
          requestedPermissions: { [key: string]: unknown }[]
          lang: string
          returnURL?: string | false
          oauthState?: string
          clientData?: { [key: string]: unknown }
          serviceInfo: { [key: string]: unknown }
          deviceName?: string
          expireAfter?: number
          referer?: string
          code: number
          status: 'NEED_SIGNIN'
          key: string
          url: string
          authUrl: string
          poll: string
          oauth?: { scopes: string[]; clientName?: string; isSelfRegistered?: true; isAsked: boolean }
          poll_rate_ms: number
        }
      | {
          code: number
          serviceInfo: { [key: string]: unknown }
          status: 'ACCEPTED'
          apiEndpoint: string
          username: string
          token: string
        }
      | { code: number; serviceInfo: { [key: string]: unknown }; status: 'DELIVERED' }
      | {
          code: number
          serviceInfo: { [key: string]: unknown }
          status: 'REDIRECTED'
          poll: string
          redirectUrl: string
        }
      | {
          code: number
          serviceInfo: { [key: string]: unknown }
          status: 'REFUSED' | 'ERROR'
          reasonID: string
          reasonId: string
          id?: string
          message: string
          detail?: string
        }
    ) & { redirect?: string }
  }
  /** Get the state of an access request. */
  'authRequest.poll': {
    params: { readonly key: string }
    result:
      | {
          requestingAppId: string
          requestedPermissions: { [key: string]: unknown }[]
          lang: string
          returnURL?: string | false
          oauthState?: string
          clientData?: { [key: string]: unknown }
          serviceInfo: { [key: string]: unknown }
          deviceName?: string
          expireAfter?: number
          referer?: string
          code: number
          status: 'NEED_SIGNIN'
          key: string
          url: string
          authUrl: string
          poll: string
          oauth?: { scopes: string[]; clientName?: string; isSelfRegistered?: true; isAsked: boolean }
          poll_rate_ms: number
        }
      | {
          code: number
          serviceInfo: { [key: string]: unknown }
          status: 'ACCEPTED'
          apiEndpoint: string
          username: string
          token: string
        }
      | { code: number; serviceInfo: { [key: string]: unknown }; status: 'DELIVERED' }
      | {
          code: number
          serviceInfo: { [key: string]: unknown }
          status: 'REDIRECTED'
          poll: string
          redirectUrl: string
        }
      | {
          code: number
          serviceInfo: { [key: string]: unknown }
          status: 'REFUSED' | 'ERROR'
          reasonID: string
          reasonId: string
          id?: string
          message: string
          detail?: string
        }
  }
}
