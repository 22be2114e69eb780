/** The attachments of an event: uploads with progress, previews, download, removal. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Alert } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { explainError, type Message } from '../../explain-error.js'
import { useAccount } from '../data/account.js'
import type { Attachment, Event } from '../data/model.js'
import type { Upload } from '../data/client.js'
import { Confirm } from '../parts/confirm.js'
import { Icon } from '../parts/icon.js'
import { formatSize } from '../parts/format-duration.js'
import { OwnerOnly } from '../parts/owner-only.js'
import { Picture } from '../parts/picture.js'
import { saveFile } from '../parts/save-file.js'
import { showToast } from '../parts/toast.js'
import { FileDropzone } from '../parts/file-dropzone.js'

interface Props {
  readonly event: Event
  readonly onChanged: (event: Event) => void
}

/** A running upload. */
interface UploadState {
  readonly names: string
  readonly part: number
  readonly cancel: () => void
}

/**
 * Lists the attachments of an event, and uploads and removes them. `onChanged` receives the changed event.
 * Shows nothing to guests if there are no attachments.
 */
export function Files({ event, onChanged }: Props) {
  const account = useAccount()
  const { client } = account
  const [upload, setUpload] = useState<UploadState>()
  const [problem, setProblem] = useState<Message>()
  const [isOver, setOver] = useState(false)
  const [removing, setRemoving] = useState<Attachment>()
  const currentUpload = useRef<Upload<{ event: Event }> | undefined>(undefined)
  const { attachments = [], description, id, type } = event
  useEffect(() => () => currentUpload.current?.cancel(), [])

  const send = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0 || upload || !account.isOwner) return
    const form = new FormData()
    for (const file of files) form.append('file', file, file.name)
    const names = files.map(({ name }) => toPlainText(name)).join(', ')
    setProblem(undefined)
    currentUpload.current = client.upload<{ event: Event }>(`events/${encodeURIComponent(id)}`, form, share =>
      setUpload(before => before && { ...before, part: share })
    )
    setUpload({ names, part: 0, cancel: currentUpload.current.cancel })
    try {
      onChanged((await currentUpload.current.done).event)
    } catch (error) {
      if (!(error instanceof DOMException)) setProblem(explainError(error).message)
    }
    currentUpload.current = undefined
    setUpload(undefined)
  }
  const downloadAttachment = async ({ id: fileId, fileName }: Attachment): Promise<void> => {
    try {
      saveFile(await client.download(`events/${id}/${fileId}`), toPlainText(fileName))
    } catch (error) {
      setProblem(explainError(error).message)
    }
  }
  if (!account.isOwner && attachments.length === 0) return null
  return (
    <section
      class={isOver ? 'card files over' : 'card files'}
      onDragOver={each => {
        each.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={each => {
        each.preventDefault()
        setOver(false)
        void send([...(each.dataTransfer?.files ?? [])])
      }}
    >
      <h2>{t('events.files')}</h2>
      {type === 'picture/attached' && attachments.length > 0 && (
        <Picture
          event={event}
          alt={description ?? t('events.pictureOf', { file: toPlainText(attachments[0]!.fileName) })}
          width={1024}
        />
      )}
      {attachments.length > 0 && (
        <ul>
          {attachments.map(each => (
            <li key={each.id}>
              <Icon name={each.type.startsWith('image/') ? 'photo' : 'file'} />
              <span>
                {toPlainText(each.fileName)} <small>{formatSize(each.size)}</small>
              </span>
              <button
                type="button"
                class="round"
                aria-label={t('events.saveFile', { file: toPlainText(each.fileName) })}
                onClick={() => void downloadAttachment(each)}
              >
                <Icon name="import" />
              </button>
              <OwnerOnly>
                <button
                  type="button"
                  class="round"
                  aria-label={t('events.removeFile', { file: toPlainText(each.fileName) })}
                  onClick={() => setRemoving(each)}
                >
                  <Icon name="trash" />
                </button>
              </OwnerOnly>
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && <Alert>{problem}</Alert>}
      {upload ? (
        <div class="going">
          <label>
            {t('events.sendingFile', { file: upload.names })}
            <progress value={upload.part} max={1} />
          </label>
          <button type="button" class="square" onClick={upload.cancel}>
            {t('shell.cancel')}
          </button>
        </div>
      ) : (
        <OwnerOnly>
          <FileDropzone label={t('events.addFiles')} onFiles={files => void send(files)} />
        </OwnerOnly>
      )}
      {removing && (
        <Confirm
          title={t('events.removeFile', { file: toPlainText(removing.fileName) })}
          action={t('events.remove')}
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            const removed = await client.call<{ event: Event }>('events.deleteAttachment', {
              id,
              fileId: removing.id
            })
            setRemoving(undefined)
            onChanged(removed.event)
            showToast(t('events.removed'))
          }}
        >
          <p>{t('events.removeWhat', { size: formatSize(removing.size) })}</p>
        </Confirm>
      )}
    </section>
  )
}
