/** The settings in force; of secrets, only whether there are any. */
import { useState } from 'preact/hooks'
import { t } from '../language.js'
import { Alert } from '../parts/form.js'
import { useReading } from './desk.js'
import { Heads } from './heads.js'
import type { Setting } from './model.js'

export function Settings() {
  const { problem, value } = useReading<{ settings: readonly Setting[] }>('settings')
  const [wanted, setWanted] = useState('')
  const [isAll, setAll] = useState(false)
  const word = wanted.trim().toLowerCase()
  const shown = value?.settings.filter(
    ({ description, isStandard, key }) =>
      (isAll || word !== '' || !isStandard) && `${key} ${description}`.toLowerCase().includes(word)
  )
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{t('operator.settings')}</h2>
      <p class="hint">{t('operator.settingsLead')}</p>
      <div class="search">
        <label for="setting">{t('operator.searchSettings')}</label>
        <div class="line">
          <input
            id="setting"
            type="search"
            maxLength={100}
            value={wanted}
            onInput={event => setWanted(event.currentTarget.value)}
          />
        </div>
      </div>
      <p>
        <button type="button" class="text" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
          {t(isAll ? 'operator.onlyChosen' : 'operator.allSettings')}
        </button>
      </p>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {shown?.length === 0 && <p>{t('operator.noSettings')}</p>}
      <div class="settings">
        <Heads of={[t('operator.setting'), t('operator.value'), t('operator.description')]} />
      </div>
      <ul class="rows settings">
        {shown?.map(setting => (
          <li key={setting.key}>
            <strong>{setting.key}</strong>
            <code>{shownValue(setting)}</code>
            <span class="soft" lang="en">
              {setting.description}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function shownValue({ isSecret, isStandard, value }: Setting): string {
  if (isSecret) return t(isStandard ? 'operator.unset' : 'operator.secret')
  return JSON.stringify(value)
}
