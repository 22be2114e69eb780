/** Chooses the transport for mails. */
import type { Config } from '../../settings/config.js'
import { httpTransport } from './http.js'
import type { MailTransport } from './message.js'
import { smtpTransport } from './smtp.js'

/** Returns the transport for a configuration; `undefined` if no mail server is configured. */
export function mailTransportOf(config: Config): MailTransport | undefined {
  const { http, smtp } = config.services.email
  if (http.url !== '') return httpTransport(config)
  return smtp.host === '' ? undefined : smtpTransport(config)
}
