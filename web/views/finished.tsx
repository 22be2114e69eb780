/** The end of a request: back to the app, or the window closes. */
import { useEffect } from 'preact/hooks'
import { t } from '../language.js'
import { Page } from '../parts/page.js'

interface Props {
  readonly isAccepted: boolean
  readonly app: string
  /** Where the app waits; without one it waits behind this window. */
  readonly target: string | undefined
}

export function Finished({ isAccepted, app, target }: Props) {
  useEffect(() => {
    // Nobody comes back to a request that is decided: it leaves no trace in the history.
    if (target !== undefined) location.replace(target)
    else window.close()
  }, [target])
  const title = isAccepted ? t('finished.accepted', { app }) : t('finished.refused')
  return (
    <Page
      title={title}
      seal={isAccepted ? 'done' : 'none'}
      lead={target === undefined ? t('finished.close') : t('finished.return', { app })}
    >
      {target !== undefined && (
        <div class="actions">
          <a class="button primary" href={target} rel="noreferrer">
            {t('finished.continue', { app })}
          </a>
        </div>
      )}
    </Page>
  )
}
