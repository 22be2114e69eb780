/** Params and results of methods: admin. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.

export interface AdminMethods {
  /** Create invitations. */
  'admin.createInvitations': {
    params: { readonly count?: number | undefined; readonly message?: string | undefined }
    result: {
      data: {
        id: string
        createdAt: number
        createdBy: string
        description: string
        consumedAt?: number
        consumedBy?: string
      }[]
    }
  }
  /** List invitations. */
  'admin.getInvitations': {
    params: Record<string, never>
    result: {
      invitations: {
        id: string
        createdAt: number
        createdBy: string
        description: string
        consumedAt?: number
        consumedBy?: string
      }[]
    }
  }
  /** List the users of a server. */
  'admin.getServerUsers': {
    params: { readonly server: string }
    result: {
      users: {
        username: string
        email: unknown
        language: unknown
        invitationToken: unknown
        referer: unknown
        appid: unknown
        id: string
        registeredTimestamp: string
        registeredDate: string
        server: string
      }[]
    }
  }
  /** Count the users of each server. */
  'admin.getServers': { params: Record<string, never>; result: { servers: { [key: string]: number } } }
  /** Get the platform data of a user. */
  'admin.getUser': {
    params: { readonly username: string }
    result: {
      user: {
        username: string
        email: unknown
        language: unknown
        invitationToken: unknown
        referer: unknown
        appid: unknown
        id: string
        registeredTimestamp: string
        registeredDate: string
        server: string
      }
    }
  }
  /** List the users of the platform. */
  'admin.getUsers': {
    params: { readonly toHTML?: boolean | undefined }
    result: {
      users: {
        username: string
        email: unknown
        language: unknown
        invitationToken: unknown
        referer: unknown
        appid: unknown
        id: string
        registeredTimestamp: string
        registeredDate: string
        server: string
      }[]
    }
  }
}
