/** The options of a connection, as form fields: only those that its app has. */
import { t } from '../../language.js'
import { Password } from '../../parts/field.js'
import type { Values } from '../../parts/form.js'
import { getApp } from './app-catalogue.js'

interface Props {
  readonly dialect: string
  readonly isSensitive: boolean
  readonly hasPassphrase: boolean
}

export function OptionFields({ dialect, isSensitive, hasPassphrase }: Props) {
  const app = getApp(dialect)
  return (
    <>
      {app.hasSensitive && (
        <div class="field">
          <label class="tick">
            <input
              type="checkbox"
              name="sensitive"
              defaultChecked={isSensitive}
              aria-describedby="sensitive-hint"
            />
            {t('connect.sensitive')}
          </label>
          <p class="hint" id="sensitive-hint">
            {t('connect.sensitiveHint')}
          </p>
        </div>
      )}
      {app.hasPassphrase && (
        <Password
          isOptional
          name="passphrase"
          label={t('connect.passphrase')}
          hint={t(hasPassphrase ? 'connect.passphraseKept' : 'connect.passphraseHint')}
        />
      )}
    </>
  )
}

/** Returns the options as the API takes them. An empty passphrase leaves that of the connection as it is. */
export function readOptions(dialect: string, values: Values): object {
  const app = getApp(dialect)
  const passphrase = values['passphrase'] ?? ''
  return {
    ...(app.hasSensitive && { sensitive: values['sensitive'] === 'on' }),
    ...(passphrase !== '' && { passphrase })
  }
}
