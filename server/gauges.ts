/** How busy the part of the service is that owns the users' files: numbers for the operator. */
export interface Gauges {
  /** Users' files that are open. */
  readonly openUserFiles: number
  /** Passwords that wait to be hashed or checked. */
  readonly passwordsWaiting: number
  /** Pictures that wait to be made smaller. */
  readonly previewsWaiting: number
  /** Mails that wait to be sent. */
  readonly mailsWaiting: number
  /** Calls of webhooks that wait for their turn, and those that are under way. */
  readonly webhooksWaiting: number
  readonly webhooksRunning: number
}

/** What must hold for the service to be of use. */
export interface Readiness {
  /** The platform file answers. */
  readonly platform: boolean
  /** The data directory can be written to. */
  readonly disk: boolean
}
