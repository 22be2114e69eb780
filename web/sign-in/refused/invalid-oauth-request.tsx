/** The page for invalid OAuth requests, which cannot be redirected to the app. (docs/api/oauth.md#authorization-requests) */
import { useEffect, useState } from 'preact/hooks'
import { sendFetch } from '../../api.js'
import { t } from '../../language.js'
import { Page } from '../../parts/page.js'
import { toPlainText } from '../../plain-text.js'

/** The OAuth error. */
interface OAuthError {
  readonly error: string
  readonly error_description: string
}

/** Shows why a client's request for access is not valid. */
export function InvalidOAuthRequest() {
  const [told, setError] = useState<OAuthError>()
  useEffect(() => {
    readError().then(setError, () => undefined)
  }, [])
  if (told?.error === 'temporarily_unavailable')
    return <Page title={t('broken.title')} seal="over" lead={t('refused.later')} />
  return (
    <Page title={t('refused.title')} seal="none" lead={t('refused.lead')}>
      {told && (
        <>
          <p>{t('refused.makers')}</p>
          <p class="hint" lang="en">
            {toPlainText(`${told.error}: ${told.error_description}`)}
          </p>
        </>
      )}
    </Page>
  )
}

/** Reads the error that other clients get at this URL. A redirect, if the request has become valid, is not followed. */
async function readError(): Promise<OAuthError | undefined> {
  const headers = { accept: 'application/json' }
  const response = await sendFetch(new URL(location.href), { headers, redirect: 'manual' })
  return response.status < 400 ? undefined : ((await response.json()) as OAuthError)
}
