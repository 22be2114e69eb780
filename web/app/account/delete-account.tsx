/** Deletes the account after the user has seen what is deleted, typed the username and verified their identity. */
import { useContext, useState } from 'preact/hooks'
import { callRoute, signOutEverywhere, Refusal } from '../../api.js'
import { formatDate, formatDuration, rich, t } from '../../language.js'
import { Field, Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { supportsPasskeys } from '../../sign-in/passkeys/later.js'
import { PageContext } from '../../page-context.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { Dialog } from '../parts/dialog.js'
import { appRoot } from '../route.js'

/**
 * Shows what deleting means and opens the dialog; where users may not delete accounts, only says that the
 * operator does it.
 */
export function DeleteAccount() {
  const { isDeletable } = useContext(PageContext).facts
  const [isOpen, setOpen] = useState(false)
  return (
    <section>
      <h2>{t('own.delete')}</h2>
      {isDeletable ? <Introduction /> : <p>{t('own.deleteByOperator')}</p>}
      {isDeletable && (
        <div class="actions start">
          <button type="button" class="button ending" onClick={() => setOpen(true)}>
            {t('own.deleteAction')}
          </button>
        </div>
      )}
      {isOpen && <DeletionDialog onClose={() => setOpen(false)} />}
    </section>
  )
}

function Introduction() {
  const { deletionGraceDays } = useContext(PageContext).facts
  const grace = formatDuration(deletionGraceDays * 86_400)
  return (
    <p>
      {deletionGraceDays > 0 ? t('own.deleteLead', { grace }) : t('own.deleteNowLead')}{' '}
      {t('own.deleteExport')}
    </p>
  )
}

/**
 * Asks for the username and a proof, deletes the account, then says when its data is removed. If that is at once, it
 * leaves the app.
 */
function DeletionDialog({ onClose }: { readonly onClose: () => void }) {
  const { facts } = useContext(PageContext)
  const { username } = useAccount()
  const [isByPasskey, setByPasskey] = useState(false)
  const [deletion, setDeletion] = useState<number>()
  const submit = async ({ typed, password }: Values): Promise<void> => {
    if (typed!.trim().toLowerCase() !== username) throw new Refusal('own-name', t('own.wrongName'))
    const body = isByPasskey ? await signChallenge(username) : password ? { password } : {}
    const path = `users/${encodeURIComponent(username)}/deletion`
    const { userDeletion } = await callRoute<{ userDeletion: { time?: number } }>('POST', path, { body })
    if (userDeletion.time === undefined) location.assign(appRoot.href)
    setDeletion(userDeletion.time)
  }
  const finish = (): void => {
    signOutEverywhere({ username }).catch(() => undefined)
    location.assign(appRoot.href)
  }
  if (deletion !== undefined)
    return (
      <Dialog title={t('own.deleted')} onClose={finish}>
        <p>{t('own.deletedLead', { username, date: formatDate(deletion) })}</p>
        <div class="actions">
          <button type="button" class="button primary" onClick={finish}>
            {t('own.deletedDone')}
          </button>
        </div>
      </Dialog>
    )
  return (
    <Dialog title={t('own.deleteTitle', { username })} onClose={onClose}>
      <DeletedData />
      <p>{t('own.deleteBackups')}</p>
      <Form
        action={t('own.deleteNow')}
        onSubmit={submit}
        others={
          <>
            {!isByPasskey && supportsPasskeys(facts.passkeyOrigin) && (
              <button type="button" class="button" onClick={() => setByPasskey(true)}>
                {t('own.deletePasskey')}
              </button>
            )}
            <button type="button" class="button" onClick={onClose}>
              {t('shell.cancel')}
            </button>
          </>
        }
      >
        <Field
          name="typed"
          label={t('own.typeName')}
          hint={rich('own.typeNameHint', { username: <strong>{username}</strong> })}
          input={{ autocomplete: 'off' }}
        />
        {isByPasskey && <p class="hint">{t('own.deletePasskeyNext')}</p>}
        {facts.hasPasswords && !isByPasskey && (
          <Password name="password" label={t('field.password')} hint={t('field.passwordProof')} isOptional />
        )}
      </Form>
    </Dialog>
  )
}

/** Says what is deleted with the account. */
function DeletedData() {
  const account = useAccount()
  const facts = useStore(account.facts)
  const tree = useStore(account.tree)
  const accesses = useStore(account.accesses)
  // Account fields are events, too, but users do not see them as such.
  const userFacts = facts.filter(({ streamId }) => tree?.find(streamId))
  return (
    <p>
      {t('own.deleteTouches', {
        events: t('shell.eventCount', { count: userFacts.reduce((sum, { count }) => sum + count, 0) }),
        streams: t('own.deleteStreams', { count: tree?.all.length ?? 0 }),
        accesses: t('own.deleteAccesses', {
          count: accesses.filter(({ type }) => type !== 'personal').length
        })
      })}
    </p>
  )
}

/** Signs a challenge with a passkey, as proof of identity. */
async function signChallenge(username: string): Promise<object> {
  const { signWithPasskey } = await import('../../sign-in/passkeys/browser.js')
  const { request } = await callRoute<{ request: Parameters<typeof signWithPasskey>[0] }>(
    'POST',
    `${username}/passkeys/challenge`,
    { body: { purpose: 'prove' } }
  )
  return { credential: await signWithPasskey(request) }
}
