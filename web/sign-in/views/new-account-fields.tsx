/** The fields of a new account: username, email address and, unless an identity provider verifies the user, a password. */
import { t } from '../../language.js'
import { Field, NewPassword } from '../../parts/field.js'

interface Props {
  /** Explains what the address is used for. */
  readonly emailHint?: string
  readonly hasPassword?: boolean
  /** Initial values. */
  readonly username?: string | undefined
  readonly email?: string | undefined
}

/** Shows the fields of a new account. */
export function NewAccountFields({ email, emailHint, hasPassword = true, username }: Props) {
  return (
    <>
      <Field
        name="username"
        label={t('field.username')}
        hint={t('hint.username')}
        input={{
          autocomplete: 'username',
          minLength: 5,
          maxLength: 60,
          pattern: '\\s*[A-Za-z0-9][A-Za-z0-9\\-]*[A-Za-z0-9]\\s*',
          ...(username === undefined ? {} : { defaultValue: username })
        }}
      />
      <Field
        name="email"
        label={t('field.email')}
        {...(emailHint === undefined ? {} : { hint: emailHint })}
        input={{
          type: 'email',
          autocomplete: 'email',
          maxLength: 300,
          ...(email === undefined ? {} : { defaultValue: email })
        }}
      />
      {hasPassword && <NewPassword label={t('field.password')} />}
    </>
  )
}
