/** The transport for mails: SMTP, or an HTTP mail service, which has its own templates. (docs/spec/authentication.md#mails) */
import type { Config } from '../../settings/config.js'
import { type MailTransport, listLanguages, getTemplate } from './message.js'
import { createSmtpTransport } from './smtp.js'
import { Outgoing } from '../http.js'

/** Returns the transport for a configuration; `undefined` if no mail server is configured. */
export function createMailTransport(config: Config): MailTransport | undefined {
  const { http, smtp } = config.services.email
  if (http.url !== '') return createHttpTransport(config)
  return smtp.host === '' ? undefined : createSmtpTransport(config)
}

/**
 * Posts `{key, to, substitutions}` to `{url}{template}/{language}`. The target is set by the operator, so it
 * may be internal. A delivery rejects unless the status is one of success.
 */
function createHttpTransport(config: Config): MailTransport {
  const { defaultLang, http, timeoutMs } = config.services.email
  return {
    async deliver(message, signal) {
      signal.throwIfAborted()
      const outgoing = new Outgoing({ allowInternal: true, timeoutMs })
      const close = (): void => void outgoing.close()
      signal.addEventListener('abort', close)
      try {
        const template = getTemplate(config, message.kind)
        const [language = defaultLang] = listLanguages(message, defaultLang)
        const to = { email: message.email, name: message.username, type: 'to' }
        const status = await outgoing.post(
          `${http.url}${template}/${language}`,
          JSON.stringify({ key: http.key, to, substitutions: message.substitutions }),
          { 'content-type': 'application/json; charset=utf-8' }
        )
        if (status < 200 || status > 299) throw new Error(`the mail service responded with status ${status}`)
      } finally {
        signal.removeEventListener('abort', close)
        await outgoing.close()
      }
    }
  }
}
