/** Uploads a chosen or dropped file with progress, then opens its import. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Alert } from '../../parts/form.js'
import { plain } from '../../plain.js'
import { explain, type Message } from '../../problem.js'
import { useAccount } from '../data/account.js'
import type { Sending } from '../data/client.js'
import { Icon } from '../parts/icon.js'
import { hrefTo, visit } from '../route.js'
import type { Import } from './model.js'

export function Drop() {
  const { client, username } = useAccount()
  const [going, setGoing] = useState<{ readonly name: string; readonly part: number }>()
  const [problem, setProblem] = useState<Message>()
  const [isOver, setOver] = useState(false)
  const sending = useRef<Sending<{ import: Import }> | undefined>(undefined)
  const chooser = useRef<HTMLInputElement>(null)
  useEffect(() => () => sending.current?.cancel(), [])

  const send = async (file: File | undefined): Promise<void> => {
    if (!file || going) return
    setProblem(undefined)
    setGoing({ name: plain(file.name), part: 0 })
    const form = new FormData()
    form.append('params', JSON.stringify({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone }))
    form.append('file', file, file.name)
    sending.current = client.upload<{ import: Import }>('imports', form, part =>
      setGoing(before => before && { ...before, part })
    )
    try {
      const { import: begun } = await sending.current.done
      visit(hrefTo(username, { page: 'import', id: begun.id }))
    } catch (error) {
      if (!(error instanceof DOMException)) setProblem(explain(error).message)
      setGoing(undefined)
    }
    sending.current = undefined
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
        {going ? (
          <>
            <p role="status">{t('import.sending', { file: going.name })}</p>
            <progress value={going.part} aria-label={t('import.sending', { file: going.name })} />
            <button type="button" class="button" onClick={() => sending.current?.cancel()}>
              {t('shell.cancel')}
            </button>
          </>
        ) : (
          <>
            <Icon name="import" />
            <p>{t('import.dropHere')}</p>
            <button type="button" class="button primary" onClick={() => chooser.current!.click()}>
              {t('import.choose')}
            </button>
            <p class="hint">{t('import.formats')}</p>
          </>
        )}
        <input
          ref={chooser}
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
