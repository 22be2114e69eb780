/** All settings with their sources; of secrets, only whether they are set. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { ColumnHeaders } from '../column-headers.js'
import { describeOrigin, type Setting } from './model.js'

/** Shows all settings, or those that are not standard, and searches them. */
export function SettingsList({ settings }: { readonly settings: readonly Setting[] }) {
  const [query, setQuery] = useState('')
  const [showsAll, setShowsAll] = useState(false)
  const word = query.trim().toLowerCase()
  const visible = settings.filter(
    ({ description, isStandard, key }) =>
      (showsAll || word !== '' || !isStandard) && `${key} ${description}`.toLowerCase().includes(word)
  )
  return (
    <section aria-labelledby="all-settings">
      <h2 id="all-settings">{t('settings.all')}</h2>
      <div class="search">
        <label for="setting">{t('settings.searchSettings')}</label>
        <div class="line">
          <input
            id="setting"
            type="search"
            maxLength={100}
            value={query}
            onInput={event => setQuery(event.currentTarget.value)}
          />
        </div>
      </div>
      <p>
        <button type="button" class="text" aria-pressed={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {t(showsAll ? 'settings.onlyChosen' : 'settings.allSettings')}
        </button>
      </p>
      {visible.length === 0 && <p>{t('settings.noSettings')}</p>}
      <div class="settings">
        <ColumnHeaders of={[t('settings.setting'), t('settings.value'), t('settings.description')]} />
      </div>
      <ul class="rows settings">
        {visible.map(setting => (
          <li key={setting.key}>
            <strong>{setting.key}</strong>
            <span>
              <code>{formatValue(setting)}</code>
              {setting.origin && <span class="hint origin">{describeOrigin(setting.origin)}</span>}
            </span>
            <span class="soft" lang="en">
              {setting.description}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function formatValue({ isSecret, isStandard, value }: Setting): string {
  if (value === undefined && isSecret) return t(isStandard ? 'settings.unset' : 'settings.secret')
  return JSON.stringify(value)
}
