/** Uploads a chosen or dropped file with progress, then opens its import. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Alert } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { explainError, type Message } from '../../explain-error.js'
import { useAccount } from '../data/account.js'
import type { Upload } from '../data/client.js'
import { Icon } from '../parts/icon.js'
import { buildHref, navigate } from '../route.js'
import type { Import } from './model.js'

/** Shows the area and the progress. One file at a time; leaving the page cancels the upload. */
export function FileDrop() {
  const { client, username } = useAccount()
  const [upload, setUpload] = useState<{ readonly name: string; readonly part: number }>()
  const [problem, setProblem] = useState<Message>()
  const [isOver, setOver] = useState(false)
  const currentUpload = useRef<Upload<{ import: Import }> | undefined>(undefined)
  const fileInput = useRef<HTMLInputElement>(null)
  useEffect(() => () => currentUpload.current?.cancel(), [])

  const send = async (file: File | undefined): Promise<void> => {
    if (!file || upload) return
    setProblem(undefined)
    setUpload({ name: toPlainText(file.name), part: 0 })
    const form = new FormData()
    form.append('params', JSON.stringify({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone }))
    form.append('file', file, file.name)
    currentUpload.current = client.upload<{ import: Import }>('imports', form, share =>
      setUpload(before => before && { ...before, part: share })
    )
    try {
      const { import: created } = await currentUpload.current.done
      navigate(buildHref(username, { page: 'import', id: created.id }))
    } catch (error) {
      if (!(error instanceof DOMException)) setProblem(explainError(error).message)
      setUpload(undefined)
    }
    currentUpload.current = undefined
  }
  return (
    <>
      <section
        class={isOver ? 'card drop over' : 'card drop'}
        aria-label={t('import.file')}
        onDragOver={event => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={event => {
          event.preventDefault()
          setOver(false)
          void send(event.dataTransfer?.files[0])
        }}
      >
        {upload ? (
          <>
            <p role="status">{t('import.sending', { file: upload.name })}</p>
            <progress value={upload.part} aria-label={t('import.sending', { file: upload.name })} />
            <button type="button" class="button" onClick={() => currentUpload.current?.cancel()}>
              {t('shell.cancel')}
            </button>
          </>
        ) : (
          <>
            <Icon name="import" />
            <p>{t('import.dropHere')}</p>
            <button type="button" class="button primary" onClick={() => fileInput.current!.click()}>
              {t('import.choose')}
            </button>
            <p class="hint">{t('import.formats')}</p>
          </>
        )}
        <input
          ref={fileInput}
          type="file"
          hidden
          aria-label={t('import.choose')}
          onChange={event => {
            void send(event.currentTarget.files?.[0])
            event.currentTarget.value = ''
          }}
        />
      </section>
      {problem !== undefined && <Alert>{problem}</Alert>}
    </>
  )
}
