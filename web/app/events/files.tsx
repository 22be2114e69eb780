/** The attachments of an event: uploads with progress, previews, download, removal. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Alert } from '../../parts/form.js'
import { plain } from '../../plain.js'
import { explain, type Message } from '../../problem.js'
import { useAccount } from '../data/account.js'
import type { Attachment, Event } from '../data/model.js'
import type { Sending } from '../data/client.js'
import { Confirm } from '../parts/confirm.js'
import { Icon } from '../parts/icon.js'
import { sizeInWords } from '../parts/lengths.js'
import { Own } from '../parts/own.js'
import { Picture } from '../parts/picture.js'
import { save } from '../parts/save.js'
import { tell } from '../parts/toast.js'

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

export function Files({ event, onChanged }: Props) {
  const account = useAccount()
  const { client } = account
  const [upload, setUpload] = useState<UploadState>()
  const [problem, setProblem] = useState<Message>()
  const [isOver, setOver] = useState(false)
  const [removing, setRemoving] = useState<Attachment>()
  const currentUpload = useRef<Sending<{ event: Event }> | undefined>(undefined)
  const { attachments = [], description, id, type } = event
  useEffect(() => () => currentUpload.current?.cancel(), [])

  const send = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0 || upload || !account.isOwner) return
    const form = new FormData()
    for (const file of files) form.append('file', file, file.name)
    const names = files.map(({ name }) => plain(name)).join(', ')
    setProblem(undefined)
    currentUpload.current = client.upload<{ event: Event }>(`events/${encodeURIComponent(id)}`, form, share =>
      setUpload(before => before && { ...before, part: share })
    )
    setUpload({ names, part: 0, cancel: currentUpload.current.cancel })
    try {
      onChanged((await currentUpload.current.done).event)
    } catch (error) {
      if (!(error instanceof DOMException)) setProblem(explain(error).message)
    }
    currentUpload.current = undefined
    setUpload(undefined)
  }
  const downloadAttachment = async ({ id: fileId, fileName }: Attachment): Promise<void> => {
    try {
      save(await client.file(`events/${id}/${fileId}`), plain(fileName))
    } catch (error) {
      setProblem(explain(error).message)
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
          alt={description ?? t('events.pictureOf', { file: plain(attachments[0]!.fileName) })}
          width={1024}
        />
      )}
      {attachments.length > 0 && (
        <ul>
          {attachments.map(each => (
            <li key={each.id}>
              <Icon name={each.type.startsWith('image/') ? 'photo' : 'file'} />
              <span>
                {plain(each.fileName)} <small>{sizeInWords(each.size)}</small>
              </span>
              <button
                type="button"
                class="round"
                aria-label={t('events.saveFile', { file: plain(each.fileName) })}
                onClick={() => void downloadAttachment(each)}
              >
                <Icon name="import" />
              </button>
              <Own>
                <button
                  type="button"
                  class="round"
                  aria-label={t('events.removeFile', { file: plain(each.fileName) })}
                  onClick={() => setRemoving(each)}
                >
                  <Icon name="trash" />
                </button>
              </Own>
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
        <Own>
          <label class="drop">
            <Icon name="plus" />
            <span>{t('events.addFiles')}</span>
            <input
              type="file"
              multiple
              onChange={each => {
                const { files } = each.currentTarget
                void send([...(files ?? [])])
                each.currentTarget.value = ''
              }}
            />
          </label>
        </Own>
      )}
      {removing && (
        <Confirm
          title={t('events.removeFile', { file: plain(removing.fileName) })}
          action={t('events.remove')}
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            const removed = await client.call<{ event: Event }>('events.deleteAttachment', {
              id,
              fileId: removing.id
            })
            setRemoving(undefined)
            onChanged(removed.event)
            tell(t('events.removed'))
          }}
        >
          <p>{t('events.removeWhat', { size: sizeInWords(removing.size) })}</p>
        </Confirm>
      )}
    </section>
  )
}
