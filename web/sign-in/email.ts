/** The email address of an account, and whether links to reset a password are sent to it. */
import { callAs, type Session } from '../api.js'

export interface Email {
  readonly address: string | null
  readonly isConfirmed: boolean
  /** Where such links are sent until then. */
  readonly confirmedAddress: string | null
}

export async function readEmail(session: Session): Promise<Email> {
  return (await callAs<{ email: Email }>(session, 'GET', 'account/email')).email
}
