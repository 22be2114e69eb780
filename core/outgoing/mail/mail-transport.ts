/** Chooses the transport for mails. */
import type { Config } from '../../settings/config.js'
import { createHttpTransport } from './http.js'
import type { MailTransport } from './message.js'
import { createSmtpTransport } from './smtp.js'

/** Returns the transport for a configuration; `undefined` if no mail server is configured. */
export function createMailTransport(config: Config): MailTransport | undefined {
  const { http, smtp } = config.services.email
  if (http.url !== '') return createHttpTransport(config)
  return smtp.host === '' ? undefined : createSmtpTransport(config)
}
