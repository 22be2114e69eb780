/** The email address of an account, and whether password reset links are sent to it. */
import { callAs, type Session } from '../api.js'

export interface Email {
  readonly address: string | null
  readonly isConfirmed: boolean
  /** The address to which links are sent until the new one is confirmed. */
  readonly confirmedAddress: string | null
}

export async function readEmail(session: Session): Promise<Email> {
  return (await callAs<{ email: Email }>(session, 'GET', 'account/email')).email
}
