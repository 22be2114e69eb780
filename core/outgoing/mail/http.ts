/** Hands letters to a mailer over HTTP, which has templates of its own. (docs/spec/authentication.md#mails) */
import type { Config } from '../../settings/config.js'
import { Outgoing } from '../http.js'
import { languagesOf, templateOf, type MailTransport } from './message.js'

/** Posts `{key, to, substitutions}` to `{url}{template}/{language}`. The operator chose the target, so it may be internal. */
export function httpTransport(config: Config): MailTransport {
  const { defaultLang, http, timeoutMs } = config.services.email
  return {
    async deliver(letter, signal) {
      const outgoing = new Outgoing({ allowInternal: true, timeoutMs })
      const close = (): void => void outgoing.close()
      signal.addEventListener('abort', close)
      try {
        const template = templateOf(config, letter.kind)
        const [language = defaultLang] = languagesOf(letter, defaultLang)
        const to = { email: letter.email, name: letter.username, type: 'to' }
        const status = await outgoing.post(
          `${http.url}${template}/${language}`,
          JSON.stringify({ key: http.key, to, substitutions: letter.substitutions }),
          { 'content-type': 'application/json; charset=utf-8' }
        )
        if (status < 200 || status > 299) throw new Error(`the mailer answered ${status}`)
      } finally {
        signal.removeEventListener('abort', close)
        await outgoing.close()
      }
    }
  }
}
