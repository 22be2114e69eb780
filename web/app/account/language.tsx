/** The language of pages and emails. */
import { useContext } from 'preact/hooks'
import { language, t } from '../../language.js'
import { LanguageOptions } from '../../parts/language-options.js'
import { explain } from '../../problem.js'
import { Surroundings } from '../../surroundings.js'
import { useAccount } from '../data/account.js'
import { tell } from '../parts/toast.js'

export function Language() {
  const account = useAccount()
  const { sendsMail } = useContext(Surroundings).facts
  return (
    <section>
      <h2>{t('frame.language')}</h2>
      <p class="hint" id="language-hint">
        {t(sendsMail ? 'own.languageHintMails' : 'own.languageHint')}
      </p>
      <select
        aria-label={t('frame.language')}
        aria-describedby="language-hint"
        value={language()}
        onChange={event => {
          account
            .wishLanguage(event.currentTarget.value)
            .catch((error: unknown) => tell(explain(error).message))
        }}
      >
        <LanguageOptions />
      </select>
    </section>
  )
}
