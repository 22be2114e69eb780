/** Attachments of a new event: chosen, taken with the camera, or dropped. Shows a preview of pictures. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { FormRow } from '../parts/form-row.js'

interface Props {
  readonly type: string
  readonly files: readonly File[]
  readonly onFiles: (files: readonly File[]) => void
}

export function FilePicker({ type, files, onFiles }: Props) {
  const isPicture = type.startsWith('picture/')
  const [picture, setPicture] = useState<string>()
  const [first] = files
  useEffect(() => {
    if (!first?.type.startsWith('image/') || first.type === 'image/svg+xml') return setPicture(undefined)
    const url = URL.createObjectURL(first)
    setPicture(url)
    return () => URL.revokeObjectURL(url)
  }, [first])
  return (
    <div
      class="picker content"
      onDragOver={event => event.preventDefault()}
      onDrop={event => {
        event.preventDefault()
        onFiles([...(event.dataTransfer?.files ?? [])])
      }}
    >
      {picture !== undefined && <img src={picture} alt={toPlainText(first?.name ?? '')} />}
      <FormRow name="files" label={t(isPicture ? 'events.picture' : 'events.files')}>
        {controlProps => (
          <input
            {...controlProps}
            type="file"
            multiple={type.endsWith('-multiple')}
            accept={getAccept(type)}
            onChange={event => onFiles([...(event.currentTarget.files ?? [])])}
          />
        )}
      </FormRow>
    </div>
  )
}

function getAccept(type: string): string {
  const kind = { picture: 'image/*', audio: 'audio/*', video: 'video/*' }[type.split('/')[0]!]
  return kind ?? ''
}
