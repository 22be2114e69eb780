/** Which way letters go. */
import type { Config } from '../../settings/config.js'
import { httpTransport } from './http.js'
import type { MailTransport } from './message.js'
import { smtpTransport } from './smtp.js'

/** The transport of a configuration; none where there is no mail server. */
export function mailTransportOf(config: Config): MailTransport | undefined {
  const { http, smtp } = config.services.email
  if (http.url !== '') return httpTransport(config)
  return smtp.host === '' ? undefined : smtpTransport(config)
}
