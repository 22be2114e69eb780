/** Shows the user name, and changes it. */
import { callAs, type Session } from '../../api.js'
import { rich, t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { AppLink } from '../parts/app-link.js'
import { formatTime } from '../parts/format-time.js'
import { buildHref } from '../route.js'
import { BackButton, useRead, type PartProps } from './part.js'

/** How often the user name may still be changed. */
interface UsernameChanges {
  readonly usernameChangesRemaining: number
  /** Seconds. */
  readonly nextUsernameChange?: number
}

/**
 * The section on the account page: the name, how many changes are left or when the next is possible, and a link to
 * change it if that is possible now.
 */
export function UsernameSection({ session }: { readonly session: Session }) {
  const changes = useChanges(session)
  return (
    <section>
      <h2>{t('field.username')}</h2>
      <p class="row">
        <strong>{session.username}</strong>
        {changes && mayChange(changes) && (
          <AppLink to={{ page: 'account', id: 'username' }} label={t('username.title')}>
            {t('account.change')}
          </AppLink>
        )}
      </p>
      {changes && <p class="hint">{describeChanges(changes)}</p>}
    </section>
  )
}

/** The form that changes the name, then loads the page again with the new one. */
export function ChangeUsername({ session, onBack }: PartProps) {
  const changes = useChanges(session)
  const change = async ({ username }: Values): Promise<void> => {
    const newUsername = username!.trim().toLowerCase()
    await callAs(session, 'POST', 'account/change-username', { newUsername })
    // Everything else on the page still has the former name.
    location.assign(buildHref(newUsername, { page: 'account' }))
  }
  return (
    <Page
      key="username"
      title={t('username.title')}
      lead={rich('username.lead', { username: <strong>{session.username}</strong> })}
    >
      <Form action={t('username.title')} onSubmit={change} others={<BackButton onBack={onBack} />}>
        <Field
          name="username"
          label={t('username.new')}
          hint={[t('hint.username'), changes && describeChanges(changes)].filter(Boolean).join(' ')}
          input={{ autocomplete: 'username', maxLength: 60 }}
        />
      </Form>
    </Page>
  )
}

/** Reads the changes that are left; undefined until then, and if the service allows none. */
function useChanges(session: Session): UsernameChanges | undefined {
  return useRead<UsernameChanges>(session, 'account/username-changes').read
}

function mayChange({ nextUsernameChange, usernameChangesRemaining }: UsernameChanges): boolean {
  return usernameChangesRemaining > 0 && nextUsernameChange === undefined
}

function describeChanges({ nextUsernameChange, usernameChangesRemaining }: UsernameChanges): string {
  if (usernameChangesRemaining === 0) return t('username.none')
  if (nextUsernameChange === undefined) return t('username.left', { count: usernameChangesRemaining })
  return t('username.wait', {
    date: formatTime(nextUsernameChange, { dateStyle: 'long', timeStyle: 'short' })
  })
}
