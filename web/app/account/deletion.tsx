/** Deletes the account, once the person has seen what goes, typed its name and proved who they are. */
import { useContext, useState } from 'preact/hooks'
import { answerIn, call, Refusal, send } from '../../api.js'
import { locale, rich, t } from '../../language.js'
import { Field, Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Surroundings } from '../../surroundings.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { Dialog } from '../parts/dialog.js'
import { appRoot } from '../route.js'

export function Deletion() {
  const { isDeletable } = useContext(Surroundings).facts
  const [isOpen, setOpen] = useState(false)
  return (
    <section>
      <h2>{t('own.delete')}</h2>
      <p>{t(isDeletable ? 'own.deleteLead' : 'own.deleteByOperator')}</p>
      {isDeletable && (
        <div class="actions start">
          <button type="button" class="button ending" onClick={() => setOpen(true)}>
            {t('own.deleteAction')}
          </button>
        </div>
      )}
      {isOpen && <Sure onClose={() => setOpen(false)} />}
    </section>
  )
}

function Sure({ onClose }: { readonly onClose: () => void }) {
  const account = useAccount()
  const { username } = account
  const facts = useStore(account.facts)
  const tree = useStore(account.tree)
  const accesses = useStore(account.accesses)
  // Account fields are events, too; nobody thinks of them as entries.
  const own = facts.filter(({ streamId }) => tree?.find(streamId))
  const number = new Intl.NumberFormat(locale())
  const submit = async ({ typed, password }: Values): Promise<void> => {
    if (typed!.trim().toLowerCase() !== username) throw new Refusal('own-name', t('own.wrongName'))
    await call('POST', `${username}/auth/login`, {
      body: { username, password: password!, appId: 'coffer-app' }
    })
    await answerIn(await send('DELETE', `users/${encodeURIComponent(username)}`))
    location.assign(appRoot.href)
  }
  return (
    <Dialog title={t('own.deleteTitle', { username })} onClose={onClose}>
      <p>
        {t('own.deleteTouches', {
          entries: number.format(own.reduce((sum, { count }) => sum + count, 0)),
          streams: number.format(tree?.all.length ?? 0),
          accesses: number.format(accesses.filter(({ type }) => type !== 'personal').length)
        })}
      </p>
      <p>{t('own.deleteBackups')}</p>
      <Form
        action={t('own.deleteNow')}
        onSubmit={submit}
        others={
          <button type="button" class="button" onClick={onClose}>
            {t('shell.keep')}
          </button>
        }
      >
        <Field
          name="typed"
          label={t('own.typeName')}
          hint={rich('own.typeNameHint', { username: <strong>{username}</strong> })}
          input={{ autocomplete: 'off' }}
        />
        <Password name="password" label={t('field.password')} />
      </Form>
    </Dialog>
  )
}
