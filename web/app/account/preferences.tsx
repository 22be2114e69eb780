/** What users prefer: the language of pages and emails, the units of measures, and the weekly letter. */
import { useContext } from 'preact/hooks'
import { getLanguage, t } from '../../language.js'
import { explainError } from '../../explain-error.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import {
  loadDisplayUnits,
  unitChoices,
  unitsKey,
  displayUnits,
  type DisplayUnits
} from '../data/display-units.js'
import { showFailure, showToast } from '../parts/toast.js'
import { LanguageOptions } from '../../parts/language-options.js'
import { PageContext } from '../../page-context.js'
import { AppLink } from '../parts/app-link.js'

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
          account.setLanguage(event.currentTarget.value).catch(showFailure)
        }}
      >
        <LanguageOptions />
      </select>
    </section>
  )
}

/**
 * Chooses the display units. They take effect immediately and are stored in the private profile set; if that
 * fails, the former one is back.
 */
export function UnitsSection() {
  const { client } = useAccount()
  const units = useStore(displayUnits)
  const choose = (kind: string, value: string): void => {
    const oldUnits = displayUnits.value
    const newUnits = { ...oldUnits, [kind]: value }
    loadDisplayUnits(newUnits)
    client
      .call('profile.update', { id: 'private', update: { [unitsKey]: newUnits } })
      .catch((error: unknown) => {
        // Others may have been chosen in the meantime.
        loadDisplayUnits({ ...displayUnits.value, [kind]: oldUnits[kind as keyof DisplayUnits] })
        const { message } = explainError(error)
        showToast(typeof message === 'string' ? message : t('error.unexpected'))
      })
  }
  return (
    <section>
      <h2>{t('data.units')}</h2>
      <p class="hint">{t('data.units.hint')}</p>
      <div class="unit-choices">
        {(Object.keys(unitChoices) as (keyof DisplayUnits)[]).map(kind => (
          <label key={kind}>
            <span>{t(`data.units.${kind}`)}</span>
            <select onChange={event => choose(kind, event.currentTarget.value)}>
              {unitChoices[kind].map(each => (
                <option key={each} value={each} selected={each === units[kind]}>
                  {unitNames[each]}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </section>
  )
}

const unitNames: Readonly<Record<DisplayUnits[keyof DisplayUnits], string>> = {
  kg: 'kg',
  lb: 'lb',
  st: 'st, lb',
  c: '°C',
  f: '°F',
  km: 'km',
  mi: 'mi',
  cm: 'cm',
  ft: 'ft, in',
  'mmol-l': 'mmol/L',
  'mg-dl': 'mg/dL'
}

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
