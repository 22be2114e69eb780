/** A button that copies a text, such as a link beside it. */
import { useState } from 'preact/hooks'
import { t } from '../language.js'

/** Shows a button that copies a text, and says whether it has. */
export function CopyButton({ text }: { readonly text: string }) {
  const [status, setStatus] = useState('')
  const copy = (): void => {
    copyText(text).then(
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

/**
 * Copies a text to the clipboard. Rejects if the browser refuses, and on pages without TLS, to which browsers
 * provide no clipboard.
 */
export async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard }
  if (!clipboard) throw new Error('No clipboard')
  await clipboard.writeText(text)
}
