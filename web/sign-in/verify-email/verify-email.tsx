/** The page of an emailed link that verifies an address. It needs no session: reading the mail proves the address. */
import { useState } from 'preact/hooks'
import { callRoute, Refusal } from '../../api.js'
import { rich, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Page } from '../../parts/page.js'
import { toPlainText } from '../../plain-text.js'
import { BackLink } from '../views/back-link.js'

const appId = 'coffer-account'

/** Shows the page of a link that verifies an address. */
export function VerifyEmail() {
  const [{ token, username }] = useState(takeLink)
  const [address, setAddress] = useState<string>()
  const [isInvalid, setInvalid] = useState(token === null || username === null)
  const verify = async (): Promise<void> => {
    try {
      const path = `${username}/account/verify-email`
      setAddress((await callRoute<{ email: string }>('POST', path, { body: { appId, token } })).email)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.id === 'item-already-exists') throw new Refusal('verify-link', t('verifyEmail.taken'))
      if (error.id !== 'invalid-access-token') throw error
      setInvalid(true)
    }
  }
  if (isInvalid)
    return (
      <Page key="invalid" seal="over" title={t('verifyEmail.invalid')} lead={t('verifyEmail.invalidLead')}>
        <BackLink to="account" />
      </Page>
    )
  const account = <strong>{toPlainText(username!)}</strong>
  if (address !== undefined)
    return (
      <Page
        key="done"
        seal="done"
        title={t('verifyEmail.done')}
        lead={rich('verifyEmail.doneLead', {
          address: <strong>{toPlainText(address)}</strong>,
          username: account
        })}
      >
        <BackLink to="account" />
      </Page>
    )
  return (
    <Page
      key="question"
      title={t('verifyEmail.title')}
      lead={rich('verifyEmail.lead', { username: account })}
    >
      <div class="actions">
        <Action class="button primary" onClick={verify}>
          {t('verifyEmail.title')}
        </Action>
      </div>
    </Page>
  )
}

/** Returns the token and the user named in the link, and removes the token from the address bar and the history. */
function takeLink(): { readonly token: string | null; readonly username: string | null } {
  const url = new URL(location.href)
  const token = url.searchParams.get('verifyToken')
  const username = url.searchParams.get('username')
  url.searchParams.delete('verifyToken')
  if (token !== null) history.replaceState(null, '', url)
  return { token, username: /^[a-z0-9][a-z0-9-]*$/.test(username ?? '') ? username : null }
}
