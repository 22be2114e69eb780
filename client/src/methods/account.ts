/** Params and results of methods: account, profile, users. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

export interface AccountMethods {
  /** Confirm an email address (extension). */
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
  /** Export all data of the account as a ZIP file. */
  'account.export': {
    params: {
      readonly form?: ('archive' | 'folder') | null | undefined
      readonly zone?: string | null | undefined
      readonly language?: ('en' | 'de' | 'fr') | null | undefined
    }
    result: { export: { draft?: string; folder?: { zone: string; language: 'en' | 'de' | 'fr' } } }
  }
  /** Get account values. */
  'account.get': {
    params: { readonly [key: string]: unknown }
    result: {
      account: {
        username: string
        email?: string | null
        language?: string | null
        storageUsed: { dbDocuments: number; attachedFiles: number }
        emails: {
          value: string
          primary: boolean
          status: 'pending' | 'verified'
          verifiedAt: number | null
          verificationMethod: ('email-link' | 'operator' | 'registration' | 'legacy') | null
        }[]
      }
      quota?: number
      deliveriesPausedSince?: number
    }
  }
  /** Get whether the email address is confirmed (extension). */
  'account.getEmail': {
    params: Record<string, never>
    result: { email: { address: string | null; isConfirmed: boolean; confirmedAddress: string | null } }
  }
  /** Get whether security emails are on (extension). */
  'account.getNotices': {
    params: Record<string, never>
    result: { notices: { isOn: boolean; isAvailable: boolean } }
  }
  /** Turn security emails on or off (extension). */
  'account.updateNotices': {
    params: { readonly update: { readonly isOn: boolean } }
    result: { notices: { isOn: boolean; isAvailable: boolean } }
  }
  /** Update account values. */
  'account.update': {
    params: {
      readonly update: {
        readonly emails?:
          | {
              readonly add?: readonly string[] | undefined
              readonly setPrimary?: string | undefined
              readonly remove?: readonly string[] | undefined
              readonly resend?: readonly string[] | undefined
            }
          | undefined
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
        emails: {
          value: string
          primary: boolean
          status: 'pending' | 'verified'
          verifiedAt: number | null
          verificationMethod: ('email-link' | 'operator' | 'registration' | 'legacy') | null
        }[]
      }
    }
  }
  /** Verify an email address with the token of a link. */
  'account.verifyEmail': {
    params: { readonly appId: string; readonly token: string }
    result: { email: string }
  }
  /** Cancel the scheduled deletion of an account. */
  'account.keep': { params: Record<string, never>; result: { keptAccount: { username: string } } }
  /** Change the password. */
  'account.changePassword': {
    params: { readonly oldPassword?: string | undefined; readonly newPassword: string }
    result: { [key: string]: unknown }
  }
  /** Change the username. */
  'account.changeUsername': {
    params: { readonly newUsername: string }
    result: {
      account: {
        username: string
        email?: string | null
        language?: string | null
        storageUsed: { dbDocuments: number; attachedFiles: number }
        emails: {
          value: string
          primary: boolean
          status: 'pending' | 'verified'
          verifiedAt: number | null
          verificationMethod: ('email-link' | 'operator' | 'registration' | 'legacy') | null
        }[]
      }
      usernameChangesRemaining: number
    }
  }
  /** Get how often the username may be changed. */
  'account.getUsernameChanges': {
    params: Record<string, never>
    result: {
      usernameChangesRemaining: number
      usernameChangesLimit: number
      usernameChangesUsed: number
      nextUsernameChange?: number
    }
  }
  /** Send a confirmation link to the email address (extension). */
  'account.requestEmailConfirmation': { params: Record<string, never>; result: { [key: string]: unknown } }
  /** Send a password reset link. */
  'account.requestPasswordReset': { params: { readonly appId: string }; result: { [key: string]: unknown } }
  /** Reset the password with the token of a reset link. */
  'account.resetPassword': {
    params: { readonly resetToken: string; readonly newPassword: string; readonly appId: string }
    result: { [key: string]: unknown }
  }
  /** Get the profile set of the calling app. */
  'profile.getApp': { params: Record<string, never>; result: { profile: { [key: string]: unknown } } }
  /** Get the private profile set. */
  'profile.getPrivate': { params: Record<string, never>; result: { profile: { [key: string]: unknown } } }
  /** Get the public profile set. */
  'profile.getPublic': { params: Record<string, never>; result: { profile: { [key: string]: unknown } } }
  /** Get a profile set by name. */
  'profile.get': { params: { readonly id: string }; result: { profile: { [key: string]: unknown } } }
  /** Update the profile set of the calling app. */
  'profile.updateApp': {
    params: { readonly update: { readonly [key: string]: unknown } }
    result: { profile: { [key: string]: unknown } }
  }
  /** Update the private profile set. */
  'profile.updatePrivate': {
    params: { readonly update: { readonly [key: string]: unknown } }
    result: { profile: { [key: string]: unknown } }
  }
  /** Update the public profile set. */
  'profile.updatePublic': {
    params: { readonly update: { readonly [key: string]: unknown } }
    result: { profile: { [key: string]: unknown } }
  }
  /** Update a profile set by name. */
  'profile.update': {
    params: { readonly id: string; readonly update: { readonly [key: string]: unknown } }
    result: { profile: { [key: string]: unknown } }
  }
  /** Send messages again after a restore. */
  'account.resumeDeliveries': { params: Record<string, never>; result: { resumed: boolean } }
  /** Delete an account with all its data. */
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
