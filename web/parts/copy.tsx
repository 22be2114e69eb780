/** A button that copies a text, such as a link beside it. */
import { useState } from 'preact/hooks'
import { t } from '../language.js'

export function Copy({ text }: { readonly text: string }) {
  const [status, setStatus] = useState('')
  const copy = (): void => {
    // Browsers provide the clipboard only to secure pages.
    const writing =
      (navigator.clipboard as Clipboard | undefined)?.writeText(text) ?? Promise.reject(new Error())
    writing.then(
      () => setStatus(t('codes.copied')),
      () => setStatus(t('copy.failed'))
    )
  }
  return (
    <p class="copy">
      <button type="button" class="button" aria-label={`${t('codes.copy')}: ${text}`} onClick={copy}>
        {t('codes.copy')}
      </button>{' '}
      <span class="hint" role="status">
        {status}
      </span>
    </p>
  )
}
