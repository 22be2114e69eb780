/** Params and results of methods: account, profile, users. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

export interface AccountMethods {
  /** Confirm an e-mail address (an addition of ours). */
  'account.confirmEmail': {
    params: {
      readonly token: string
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
    result: { [key: string]: unknown }
  }
  /** Take all data of the account along, as a ZIP. */
  'account.export': { params: Record<string, never>; result: { export: { draft: string } } }
  /** Read the values of the account. */
  'account.get': {
    params: { readonly [key: string]: unknown }
    result: {
      account: {
        username: string
        email?: string | null
        language?: string | null
        storageUsed: { dbDocuments: number; attachedFiles: number }
      }
      quota?: number
    }
  }
  /** Read whether the e-mail address is confirmed (an addition of ours). */
  'account.getEmail': {
    params: Record<string, never>
    result: { email: { address: string | null; isConfirmed: boolean; confirmedAddress: string | null } }
  }
  /** Read whether the user is told of sign-ins by mail (an addition of ours). */
  'account.getNotices': {
    params: Record<string, never>
    result: { notices: { isOn: boolean; isAvailable: boolean } }
  }
  /** Switch mails about sign-ins on or off (an addition of ours). */
  'account.updateNotices': {
    params: { readonly update: { readonly isOn: boolean } }
    result: { notices: { isOn: boolean; isAvailable: boolean } }
  }
  /** Change values of the account. */
  'account.update': {
    params: {
      readonly update: {
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
    }
    result: {
      account: {
        username: string
        email?: string | null
        language?: string | null
        storageUsed: { dbDocuments: number; attachedFiles: number }
      }
    }
  }
  /** Keep an account that is scheduled for deletion. */
  'account.keep': { params: Record<string, never>; result: { keptAccount: { username: string } } }
  /** Change the password. */
  'account.changePassword': {
    params: { readonly oldPassword?: string | undefined; readonly newPassword: string }
    result: { [key: string]: unknown }
  }
  /** Send a mail with a link that confirms the e-mail address (an addition of ours). */
  'account.requestEmailConfirmation': { params: Record<string, never>; result: { [key: string]: unknown } }
  /** Send a mail with a link that resets the password. */
  'account.requestPasswordReset': { params: { readonly appId: string }; result: { [key: string]: unknown } }
  /** Set a new password by the token of such a mail. */
  'account.resetPassword': {
    params: { readonly resetToken: string; readonly newPassword: string; readonly appId: string }
    result: { [key: string]: unknown }
  }
  /** Read the profile set of the calling app. */
  'profile.getApp': { params: Record<string, never>; result: { profile: { [key: string]: unknown } } }
  /** Read the private profile set. */
  'profile.getPrivate': { params: Record<string, never>; result: { profile: { [key: string]: unknown } } }
  /** Read the public profile set. */
  'profile.getPublic': { params: Record<string, never>; result: { profile: { [key: string]: unknown } } }
  /** Read a profile set by its name. */
  'profile.get': { params: { readonly id: string }; result: { profile: { [key: string]: unknown } } }
  /** Change the profile set of the calling app. */
  'profile.updateApp': {
    params: { readonly update: { readonly [key: string]: unknown } }
    result: { profile: { [key: string]: unknown } }
  }
  /** Change the private profile set. */
  'profile.updatePrivate': {
    params: { readonly update: { readonly [key: string]: unknown } }
    result: { profile: { [key: string]: unknown } }
  }
  /** Change the public profile set. */
  'profile.updatePublic': {
    params: { readonly update: { readonly [key: string]: unknown } }
    result: { profile: { [key: string]: unknown } }
  }
  /** Change a profile set by its name. */
  'profile.update': {
    params: { readonly id: string; readonly update: { readonly [key: string]: unknown } }
    result: { profile: { [key: string]: unknown } }
  }
  /** Delete an account with everything in it. */
  'users.delete': {
    params: {
      readonly username: string
      readonly onlyReg?: boolean | undefined
      readonly dryRun?: boolean | undefined
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
      | { userDeletion: { username: string; time?: number } }
      | { result: { dryRun: boolean; deleted: boolean } }
  }
}
