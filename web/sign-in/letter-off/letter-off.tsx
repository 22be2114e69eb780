/** The page of the link in a weekly letter that turns the letter off. It needs no session. */
import { useState } from 'preact/hooks'
import { callRoute, Refusal } from '../../api.js'
import { rich, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Page } from '../../parts/page.js'
import { toPlainText } from '../../plain-text.js'
import { BackLink } from '../views/back-link.js'

/** Shows the page of a link that turns the weekly letter off. */
export function LetterOff() {
  const [{ token, username }] = useState(takeLink)
  const [state, setState] = useState<'question' | 'done' | 'invalid'>(
    token === null || username === null ? 'invalid' : 'question'
  )
  const turnOff = async (): Promise<void> => {
    try {
      await callRoute('POST', `${username}/letter/unsubscribe/${encodeURIComponent(token!)}`, { body: {} })
      setState('done')
    } catch (error) {
      if (!(error instanceof Refusal) || error.id !== 'invalid-access-token') throw error
      setState('invalid')
    }
  }
  if (state === 'invalid')
    return (
      <Page key="invalid" seal="over" title={t('letterOff.invalid')} lead={t('letterOff.invalidLead')}>
        <BackLink to="account" />
      </Page>
    )
  const account = <strong>{toPlainText(username!)}</strong>
  if (state === 'done')
    return (
      <Page
        key="done"
        seal="done"
        title={t('letterOff.done')}
        lead={rich('letterOff.doneLead', { username: account })}
      >
        <BackLink to="account" />
      </Page>
    )
  return (
    <Page key="question" title={t('letterOff.title')} lead={rich('letterOff.lead', { username: account })}>
      <div class="actions">
        <Action class="button primary" onClick={turnOff}>
          {t('letterOff.title')}
        </Action>
      </div>
    </Page>
  )
}

/** Returns the token and the user named in the link, and removes the token from the address bar and the history. */
function takeLink(): { readonly token: string | null; readonly username: string | null } {
  const url = new URL(location.href)
  const token = new URLSearchParams(url.hash.slice(1)).get('token')
  const username = url.searchParams.get('username')
  url.hash = ''
  if (token !== null) history.replaceState(null, '', url)
  return { token, username: /^[a-z0-9][a-z0-9-]*$/.test(username ?? '') ? username : null }
}
