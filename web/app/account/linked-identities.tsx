/** The external identities with which the user can sign in. */
import { useContext, useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { formatDate, isKey, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { toPlainText } from '../../plain-text.js'
import { explainError, type Message } from '../../explain-error.js'
import { redirectToProvider, takeRedirectResult } from '../../sign-in/identities/going.js'
import { addIdentityTexts } from '../../sign-in/identities/texts.js'
import { PageContext } from '../../page-context.js'
import { useReading } from '../data/reading.js'
import { ReadProblem } from '../parts/read-problem.js'

interface Identity {
  readonly id: string
  readonly provider: { readonly name: string; readonly label: string }
  readonly email?: string
  readonly isUsable: boolean
  readonly created: number
  readonly lastUsed?: number
}

interface IdentityList {
  readonly identities: readonly Identity[]
  readonly isSpare: boolean
}

/**
 * Lists the identities, with buttons to link and unlink. Also finishes a link when the browser returns from the
 * provider. The last usable way to sign in cannot be unlinked.
 */
export function LinkedIdentities({ session }: { readonly session: Session }) {
  const { facts } = useContext(PageContext)
  const [notice, setNotice] = useState<string>()
  const [linkProblem, setLinkProblem] = useState<Message>()
  const link = async (): Promise<void> => {
    const returned = takeRedirectResult(true)
    if (!returned) return
    if ('problem' in returned) {
      await addIdentityTexts()
      const label = facts.providers.find(({ name }) => name === returned.provider)?.label ?? ''
      const key = `identity.problem-${returned.problem}`
      return setLinkProblem(t(isKey(key) ? key : 'identity.problem-invalid', { provider: label }))
    }
    const { secret, ticket } = returned
    const { identity } = await callAs<{ identity: Identity }>(session, 'POST', 'identities', {
      ticket,
      secret
    })
    setNotice(t('identity.linked', { provider: identity.provider.label }))
  }
  const [linking] = useState(() => link().catch((error: unknown) => setLinkProblem(explainLinking(error))))
  const reading = useReading(async () => {
    await linking
    return await callAs<IdentityList>(session, 'GET', 'identities')
  })
  const list = reading.read
  const problem = linkProblem ?? reading.problem
  const start = async (name: string): Promise<void> => {
    const { secret } = await callAs<{ secret: string }>(session, 'POST', 'identities/begin', {})
    redirectToProvider(name, secret)
  }
  const unlink = async ({ id, provider }: Identity): Promise<void> => {
    await callAs(session, 'DELETE', `identities/${id}`)
    setNotice(t('identity.unlinked', { provider: provider.label }))
    await reading.reread()
  }
  const isLinked = (name: string): boolean =>
    list?.identities.some(({ provider }) => provider.name === name) === true
  return (
    <section>
      <h2>{t('identity.title')}</h2>
      {problem !== undefined && <ReadProblem message={problem} />}
      <p role="status">{notice}</p>
      {list && (
        <>
          {list.identities.length > 0 && (
            <ul class="sessions">
              {list.identities.map(identity => (
                <li key={identity.id} class="row">
                  <div>
                    <strong>{toPlainText(identity.provider.label)}</strong>
                    {identity.email !== undefined && <p class="hint">{toPlainText(identity.email)}</p>}
                    <p class="hint">{t('identity.since', { date: formatDate(identity.created) })}</p>
                    {identity.lastUsed !== undefined && (
                      <p class="hint">{t('account.lastUsed', { date: formatDate(identity.lastUsed) })}</p>
                    )}
                    {!identity.isUsable && <p class="hint">{t('identity.unusable')}</p>}
                  </div>
                  {(list.isSpare || !identity.isUsable) && (
                    <Action
                      class="text"
                      label={t('identity.unlinkIt', { provider: identity.provider.label })}
                      onClick={async () => await unlink(identity)}
                    >
                      {t('identity.unlink')}
                    </Action>
                  )}
                </li>
              ))}
            </ul>
          )}
          {!list.isSpare && list.identities.length > 0 && <p class="hint">{t('identity.last')}</p>}
          <div class="providers">
            {facts.providers.map(({ label, name }) => (
              <Action key={name} onClick={async () => await start(name)}>
                {t(isLinked(name) ? 'identity.linkAnother' : 'identity.link', { provider: label })}
              </Action>
            ))}
          </div>
        </>
      )}
    </section>
  )
}

function explainLinking(error: unknown): Message {
  const { id } = Object(error) as { id?: unknown }
  return id === 'item-already-exists' ? t('identity.elsewhere') : explainError(error).message
}
