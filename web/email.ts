/** The e-mail address of an account: whether links for a forgotten password go there. */
import { callAs, type Session } from './api.js'

export interface Email {
  readonly address: string | null
  readonly isConfirmed: boolean
  /** Where such links go meanwhile. */
  readonly confirmedAddress: string | null
}

export async function readEmail(session: Session): Promise<Email> {
  return (await callAs<{ email: Email }>(session, 'GET', 'account/email')).email
}
