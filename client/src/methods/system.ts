/** Params and results of methods: system. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { BreachScope, OperatorAccess, Person } from './nouns.js'

export interface SystemMethods {
  /** Undo marking an account as moved. */
  'system.bringBackUser': {
    params: { readonly username: string }
    result: { relocationDeletion: { username: string } }
  }
  /** Check the platform database against the accounts. */
  'system.checkPlatformIntegrity': {
    params: { readonly username?: string | undefined }
    result: { checks: { title: string; infos: { [key: string]: number }; errors: string[] }[] }
  }
  /** Create a password reset link for a user. */
  'system.createResetLink': {
    params: { readonly username: string }
    result: { resetLink: { username: string; url: string; expires: number } }
  }
  /** Create an account, as the operator. */
  'system.createUser': {
    params: {
      readonly username: string
      readonly passwordHash: string
      readonly email: string
      readonly language: string
      readonly appId?: string | null | undefined
      readonly referer?: string | null | undefined
      readonly invitationToken?: string | null | undefined
    }
    result: { id: string }
  }
  /** Turn off two-factor authentication of a user. */
  'system.deactivateMfa': { params: { readonly username: string }; result: { [key: string]: unknown } }
  /** Remove all passkeys of a user. */
  'system.deletePasskeys': { params: { readonly username: string }; result: { [key: string]: unknown } }
  /** Find an access of any user. */
  'system.getAccess': {
    params: { readonly id: string; readonly username?: string | undefined }
    result: { access: OperatorAccess; owner: { username: string; userId: string } }
  }
  /** List what an access of a user has read. */
  'system.getBreachScope': {
    params: {
      readonly username: string
      readonly id: string
      readonly since?: number | undefined
      readonly until?: number | undefined
      readonly format?: 'json' | 'csv' | undefined
    }
    result: {
      access: OperatorAccess
      owner: { username: string; userId: string }
      breachScope: BreachScope
      csv?: string
    }
  }
  /** List actions of operators. */
  'system.getDeeds': {
    params: { readonly before?: number | undefined; readonly limit?: number | undefined }
    result: {
      deeds: {
        number: number
        time: number
        method: string
        isByKey: boolean
        operator: string | null
        target: string | null
        username: string | null
        detail: { [key: string]: unknown }
        error: string | null
        ip: string
      }[]
    }
  }
  /** Get the growth of the service. */
  'system.getGrowth': {
    params: Record<string, never>
    result: {
      growth: {
        time: number
        accounts: number | null
        documents: number | null
        attachments: number | null
        previews: number | null
        others: number | null
        events: number
      }[]
    }
  }
  /** Check whether the user is an operator. */
  'system.getOperator': { params: { readonly username: string }; result: { operator: { username: string } } }
  /** Get versions and numbers of accounts. */
  'system.getOverview': {
    params: Record<string, never>
    result: {
      overview: {
        name: string
        publicUrl: string
        versions: { coffer: string; api: string; node: string; sqlite: string }
        accounts: number
        suspended: number
        moved: number
        invitations: number
        registration: string
        passwordReset: string
        quota: number
        mayDelete: boolean
      }
    }
  }
  /** List the current settings. */
  'system.getSettings': {
    params: Record<string, never>
    result: {
      settings: {
        key: string
        description: string
        value?: unknown
        isSecret: boolean
        isStandard: boolean
      }[]
    }
  }
  /** Get the usage of an account. */
  'system.getUserInfo': {
    params: { readonly username: string }
    result: {
      userInfo: {
        username: string
        storageUsed: { dbDocuments: number; attachedFiles: number }
        lastAccess: number
        callsTotal: number
        callsDetail: { [key: string]: number }
        callsPerAccess: { [key: string]: number }
      }
    }
  }
  /** Get the usage of a user. */
  'system.getUser': { params: { readonly username: string }; result: { user: Person } }
  /** List users and their usage. */
  'system.getUsers': {
    params: {
      readonly search?: string | undefined
      readonly after?: string | undefined
      readonly limit?: number | undefined
    }
    result: { users: Person[]; next?: string }
  }
  /** Cancel the scheduled deletion of an account, as the operator. */
  'system.keepUser': { params: { readonly username: string }; result: { keptUser: { username: string } } }
  /** Set the storage limit of an account. */
  'system.limitUser': {
    params: { readonly username: string; readonly bytes: number | null }
    result: { quota: { username: string; bytes: number | null } }
  }
  /** Sign a user in, from the command line. */
  'system.openSession': {
    params: { readonly username: string; readonly appId: string }
    result: { username: string; id: string; token: string; apiEndpoint: string }
  }
  /** Mark an account as moved to another server. */
  'system.relocateUser': {
    params: { readonly username: string; readonly url: string }
    result: { relocation: { username: string; url: string } }
  }
  /** Restore access to a suspended account. */
  'system.resumeUser': {
    params: { readonly username: string }
    result: { suspensionDeletion: { username: string } }
  }
  /** Set the password of a user, as the operator. */
  'system.setPassword': {
    params: { readonly username: string; readonly passwordHash: string }
    result: { username: string }
  }
  /** Suspend an account. */
  'system.suspendUser': {
    params: { readonly username: string }
    result: { suspension: { username: string; since: number } }
  }
  /** Unlock sign-in for a user. */
  'system.unlockUser': { params: { readonly username: string }; result: { [key: string]: unknown } }
}
