/** The end of a request: returns to the app, or closes the window. */
import { useEffect } from 'preact/hooks'
import { t } from '../../language.js'
import { Page } from '../../parts/page.js'

interface Props {
  readonly isAccepted: boolean
  readonly app: string
  /** The app's URL; without one, the app waits behind this window. */
  readonly target: string | undefined
}

/** Shows how a request was decided, and returns to the app or closes the window. */
export function RequestResult({ isAccepted, app, target }: Props) {
  useEffect(() => {
    // Replaces the history entry, because a decided request cannot be used again.
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
