/** The language of pages and emails. */
import { useContext } from 'preact/hooks'
import { getLanguage, t } from '../../language.js'
import { LanguageOptions } from '../../parts/language-options.js'
import { explainError } from '../../explain-error.js'
import { PageContext } from '../../page-context.js'
import { useAccount } from '../data/account.js'
import { showToast } from '../parts/toast.js'

/**
 * Shows the choice of language. It applies at once and is stored in the account; if storing fails, the page
 * keeps it and shows a toast.
 */
export function LanguageSection() {
  const account = useAccount()
  const { sendsMail } = useContext(PageContext).facts
  return (
    <section>
      <h2>{t('frame.language')}</h2>
      <p class="hint" id="language-hint">
        {t(sendsMail ? 'own.languageHintMails' : 'own.languageHint')}
      </p>
      <select
        aria-label={t('frame.language')}
        aria-describedby="language-hint"
        value={getLanguage()}
        onChange={event => {
          account
            .setLanguage(event.currentTarget.value)
            .catch((error: unknown) => showToast(explainError(error).message))
        }}
      >
        <LanguageOptions />
      </select>
    </section>
  )
}
