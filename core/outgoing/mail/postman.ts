/** Which way letters go. */
import type { Config } from '../../settings/config.js'
import { httpPostman } from './http.js'
import type { Postman } from './letter.js'
import { smtpPostman } from './smtp.js'

/** The postman of a configuration; none where there is no mail server. */
export function postmanOf(config: Config): Postman | undefined {
  const { http, smtp } = config.services.email
  if (http.url !== '') return httpPostman(config)
  return smtp.host === '' ? undefined : smtpPostman(config)
}
