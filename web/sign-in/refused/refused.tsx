/** What somebody sees whom an app has sent here by OAuth in a way that leads nowhere. (docs/api/oauth.md#authorization-requests) */
import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../api.js'
import { t } from '../../language.js'
import { Page } from '../../parts/page.js'
import { plain } from '../../plain.js'

/** The error as the protocol has it. */
interface Told {
  readonly error: string
  readonly error_description: string
}

export function Refused() {
  const [told, setTold] = useState<Told>()
  useEffect(() => {
    readRefusal().then(setTold, () => undefined)
  }, [])
  if (told?.error === 'temporarily_unavailable')
    return <Page title={t('broken.title')} seal="over" lead={t('refused.later')} />
  return (
    <Page title={t('refused.title')} seal="none" lead={t('refused.lead')}>
      {told && (
        <>
          <p>{t('refused.makers')}</p>
          <p class="hint" lang="en">
            {plain(`${told.error}: ${told.error_description}`)}
          </p>
        </>
      )}
    </Page>
  )
}

/** What clients that are no browsers are told at this address. It is not followed if it has become right meanwhile. */
async function readRefusal(): Promise<Told | undefined> {
  const headers = { accept: 'application/json' }
  const response = await ask(new URL(location.href), { headers, redirect: 'manual' })
  return response.status < 400 ? undefined : ((await response.json()) as Told)
}
