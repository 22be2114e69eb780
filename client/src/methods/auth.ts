/** Params and results of methods: auth, mfa, registration, sessions. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion } from './nouns.js'

export interface AuthMethods {
  /** Sign in with username and password. */
  'auth.login': {
    params: { readonly username: string; readonly password: string; readonly appId: string }
    result:
      | {
          token: string
          apiEndpoint: string
          preferredLanguage: string
          passwordExpires?: number
          passwordCanBeChanged?: number
          deletion?: number
        }
      | { mfaToken: string }
  }
  /** Sign in with a proof of identity. */
  'auth.loginByIdentity': {
    params: { readonly ticket: string; readonly secret: string; readonly appId: string }
    result:
      | {
          token: string
          apiEndpoint: string
          preferredLanguage: string
          passwordExpires?: number
          passwordCanBeChanged?: number
          deletion?: number
        }
      | { mfaToken: string }
  }
  /** Sign out. */
  'auth.logout': { params: { readonly [key: string]: unknown }; result: { signOutUrl?: string } }
  /** Get the account that a proof of identity belongs to. */
  'auth.lookUpIdentity': {
    params: { readonly ticket: string; readonly secret: string }
    result: {
      provider: { name: string; label: string }
      username?: string
      registration?: { isOpen: boolean; username?: string; email?: string; isEmailTaken: boolean }
    }
  }
  /** Start signing in with a passkey. */
  'auth.passkeyChallenge': {
    params: { readonly appId: string }
    result: {
      request: {
        challenge: string
        rpId: string
        timeout: number
        userVerification: 'required'
        allowCredentials: { id: string; type: 'public-key'; transports: string[] }[]
      }
    }
  }
  /** Sign in with a passkey. */
  'auth.passkeyLogin': {
    params: {
      readonly credential: {
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
      readonly appId: string
    }
    result: {
      username: string
      token: string
      apiEndpoint: string
      preferredLanguage: string
      passwordExpires?: number
      passwordCanBeChanged?: number
      deletion?: number
    }
  }
  /** Start turning on two-factor authentication. */
  'mfa.activate': {
    params: {
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
      readonly [key: string]: unknown
    }
    result: { mfaToken: string; totp?: { secret: string; uri: string; qrCode: string } }
  }
  /** Resend a code. */
  'mfa.challenge': { params: { readonly [key: string]: unknown }; result: { message: string } }
  /** Finish turning on two-factor authentication. */
  'mfa.confirm': { params: { readonly [key: string]: unknown }; result: { recoveryCodes: string[] } }
  /** Turn off two-factor authentication. */
  'mfa.deactivate': {
    params: {
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
    result: { message: string }
  }
  /** Turn off two-factor authentication with a recovery code. */
  'mfa.recover': {
    params: {
      readonly username?: string | undefined
      readonly password?: string | undefined
      readonly appId: string
      readonly recoveryCode?: string | null | undefined
    }
    result: { message: string }
  }
  /** Finish signing in with a code. */
  'mfa.verify': {
    params: { readonly [key: string]: unknown }
    result: {
      token: string
      apiEndpoint: string
      preferredLanguage: string
      passwordExpires?: number
      passwordCanBeChanged?: number
      deletion?: number
    }
  }
  /** Get an app. */
  'registration.app': {
    params: { readonly appid: string }
    result: {
      app: {
        id: string
        displayName?: string
        description?: string
        category?: string
        iconURL?: string
        appURL?: string
        settingsPageURL?: string
        returnURLs?: string[]
        active?: boolean
        onboarding?: boolean
        support?: string[]
      }
    }
  }
  /** List apps. */
  'registration.apps': {
    params: { readonly [key: string]: unknown }
    result: {
      apps: {
        id: string
        displayName?: string
        description?: string
        category?: string
        iconURL?: string
        appURL?: string
        settingsPageURL?: string
        returnURLs?: string[]
        active?: boolean
        onboarding?: boolean
        support?: string[]
      }[]
    }
  }
  /** Get the server of an account. */
  'registration.cores': {
    params: { readonly username?: string | undefined; readonly email?: string | undefined }
    result: { core: { url: string } }
  }
  /** Check whether an email address is available (older form). */
  'auth.emailCheckPost': { params: { readonly email?: string | undefined }; result: { isFree: boolean } }
  /** Check whether an email address is taken. */
  'auth.emailCheck': { params: { readonly email: string }; result: { reserved: false; exists: false } }
  /** List hostings for new accounts. */
  'registration.hostings': {
    params: { readonly [key: string]: unknown }
    result: { regions: { [key: string]: unknown } }
  }
  /** Check whether an invitation is valid. */
  'registration.invitationTokenCheck': {
    params: { readonly invitationToken?: string | undefined; readonly invitationtoken?: string | undefined }
    result: { isValid: boolean }
  }
  /** Create an account, with parameter names of older clients. */
  'auth.registerOlder': {
    params: { readonly [key: string]: unknown }
    result: { username: string; apiEndpoint: string; server: string }
  }
  /** Create an account. */
  'auth.register': {
    params: {
      readonly appId: string
      readonly username: string
      readonly password: string
      readonly [field: string]: unknown
    }
    result: { username: string; apiEndpoint: string }
  }
  /** Get the server that holds an account. */
  'registration.server': { params: { readonly username: string }; result: { server: string; alias: string } }
  /** Look up the username for an email address. */
  'registration.uid': { params: { readonly email: string }; result: { uid: string } }
  /** Check whether a username is available (older form). */
  'auth.usernameCheckPost': {
    params: { readonly username?: string | undefined }
    result: { isFree: boolean }
  }
  /** Check whether a username is available. */
  'auth.usernameCheck': { params: { readonly username: string }; result: { reserved: false } }
  /** Look up the username for an email address (alias). */
  'registration.username': { params: { readonly email: string }; result: { username: string } }
  /** Revoke all other sessions. */
  'sessions.deleteAll': {
    params: { readonly includeCurrent?: boolean | null | undefined }
    result: { sessionDeletions: ItemDeletion[] }
  }
  /** Revoke a session. */
  'sessions.delete': { params: { readonly id: string }; result: { sessionDeletion: ItemDeletion } }
  /** List the sessions of the user. */
  'sessions.get': {
    params: Record<string, never>
    result: {
      sessions: {
        id: string
        appId: string
        deviceName?: string
        created: number
        lastUsed: number
        expires: number
        isCurrent: boolean
        signedIn?: { time: number; userAgent?: string; address: string; provider?: string }
      }[]
      hasSecondFactor: boolean
    }
  }
}
