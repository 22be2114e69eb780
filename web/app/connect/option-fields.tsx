/** The options of a connection, as form fields: only those that its app has. */
import { t } from '../../language.js'
import { Field, Password } from '../../parts/field.js'
import type { Values } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { getApp } from './app-catalogue.js'

interface Props {
  readonly dialect: string
  readonly isSensitive: boolean
  readonly hasPassphrase: boolean
  readonly friends?: readonly string[] | undefined
}

/** Shows the fields of the app; none for an app without options. The form reads them. */
export function OptionFields({ dialect, isSensitive, hasPassphrase, friends = [] }: Props) {
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
      {app.hasFriends && (
        <Field
          name="friends"
          label={t('connect.friends')}
          hint={
            friends.length > 0
              ? t('connect.friendsKept', { names: friends.map(toPlainText).join(', ') })
              : t('connect.friendsHint')
          }
          input={{ required: false }}
        />
      )}
      {app.hasFriends && friends.length > 0 && (
        <div class="field">
          <label class="tick">
            <input type="checkbox" name="noFriends" />
            {t('connect.noFriends')}
          </label>
        </div>
      )}
    </>
  )
}

/**
 * Returns the options that the app has, as params of the API. An empty passphrase, or no links, leave those
 * of the connection as they are.
 */
export function readOptions(dialect: string, values: Values): object {
  const app = getApp(dialect)
  const passphrase = values['passphrase'] ?? ''
  const links = (values['friends'] ?? '').split(/[\s,]+/).filter(link => link !== '')
  const isWithoutFriends = values['noFriends'] === 'on'
  return {
    ...((links.length > 0 || isWithoutFriends) && { friends: links }),
    ...(app.hasSensitive && { sensitive: values['sensitive'] === 'on' }),
    ...(passphrase !== '' && { passphrase })
  }
}
