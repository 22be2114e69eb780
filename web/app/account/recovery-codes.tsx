/** Recovery codes in case the device is lost, to copy, download or print. They are shown only once. */
import { useContext, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { copyText } from '../../parts/copy-button.js'
import { Page } from '../../parts/page.js'
import { PageContext } from '../../page-context.js'

interface Props {
  readonly codes: readonly string[]
  readonly username: string
  readonly onDone: () => void
}

/** Shows the given codes and saves them nowhere itself. `onDone` is called when the user leaves. */
export function RecoveryCodes({ codes, username, onDone }: Props) {
  const { info } = useContext(PageContext)
  const [status, setStatus] = useState('')
  const text = `${t('codes.file', { service: info.name, username })}\n\n${codes.join('\n')}\n`

  const copy = (): void => {
    copyText(text).then(
      () => setStatus(t('codes.copied')),
      () => setStatus(t('codes.notCopied'))
    )
  }
  const save = (): void => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    link.download = `${info.name.toLowerCase().replaceAll(/\W+/g, '-')}-${username}.txt`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
    setStatus(t('codes.downloaded'))
  }

  return (
    <Page key="codes" title={t('codes.title')} lead={t('codes.lead')}>
      <ul class="codes">
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="actions side">
        <button type="button" class="button" onClick={copy}>
          {t('codes.copy')}
        </button>
        <button type="button" class="button" onClick={save}>
          {t('codes.download')}
        </button>
        <button type="button" class="button" onClick={() => print()}>
          {t('codes.print')}
        </button>
      </div>
      <p class="hint" role="status">
        {status}
      </p>
      <div class="actions">
        <button type="button" class="button primary" onClick={onDone}>
          {t('codes.done')}
        </button>
      </div>
    </Page>
  )
}
