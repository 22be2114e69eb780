/** An account, as all parts of the service know it. */

export type AccountState = 'creating' | 'active' | 'deleting'

/** An account, as the platform knows it. */
export interface Account {
  readonly id: string
  readonly username: string
  readonly state: AccountState
  /** Seconds. */
  readonly created: number
  /** URL of its new place; `null` as long as it is here. */
  readonly relocatedTo: string | null
}

/** What a new account takes for itself: nobody else can have it then. */
export interface Claim {
  readonly id: string
  readonly username: string
  /** Seconds. */
  readonly created: number
  /** Values that no other account may have, by field. */
  readonly unique: Readonly<Record<string, string | number>>
  /** The invitation that is used up by this account. */
  readonly invitationToken?: string
}
