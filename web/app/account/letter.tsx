/** Links to the weekly letter, on the account page. */
import { t } from '../../language.js'
import { AppLink } from '../parts/app-link.js'

/** Shows a button that opens the page of the letter. */
export function LetterSection() {
  return (
    <section>
      <h2>{t('own.letter')}</h2>
      <p class="hint">{t('own.letterHint')}</p>
      <div class="actions start">
        <AppLink to={{ page: 'letter' }} class="button">
          {t('own.letterOpen')}
        </AppLink>
      </div>
    </section>
  )
}
