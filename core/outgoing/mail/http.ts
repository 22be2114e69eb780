/** Sends mails through an HTTP mail service, which has its own templates. (docs/spec/authentication.md#mails) */
import type { Config } from '../../settings/config.js'
import { Outgoing } from '../http.js'
import { listLanguages, getTemplate, type MailTransport } from './message.js'

/**
 * Posts `{key, to, substitutions}` to `{url}{template}/{language}`. The target is set by the operator, so it
 * may be internal. A delivery rejects unless the status is one of success.
 */
export function createHttpTransport(config: Config): MailTransport {
  const { defaultLang, http, timeoutMs } = config.services.email
  return {
    async deliver(message, signal) {
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
