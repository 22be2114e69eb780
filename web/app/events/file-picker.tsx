/** Attachments of new events: chosen, taken with the camera, or dropped; with thumbnails of pictures. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { formatSize } from '../parts/format-duration.js'
import { FormRow } from '../parts/form-row.js'
import { Icon } from '../parts/icon.js'
import { FileDropzone } from '../parts/file-dropzone.js'

interface Props {
  readonly type: string
  readonly files: readonly File[]
  /** The number of files that have been uploaded; undefined while nothing is being uploaded. */
  readonly sentCount: number | undefined
  readonly onFiles: (files: readonly File[]) => void
}

/**
 * Shows the area for files and those chosen. Uploads nothing: passes all files to `onFiles` on each change,
 * each once.
 */
export function FilePicker({ type, files, sentCount, onFiles }: Props) {
  const isPicture = type.startsWith('picture/')
  // Files chosen twice are listed once.
  const add = (more: readonly File[]): void =>
    onFiles(Array.from(new Map([...files, ...more].map(file => [toKey(file), file])).values()))
  return (
    <div class="picker content">
      <FormRow name="files" label={t(isPicture ? 'events.picture' : 'events.files')}>
        {controlProps => (
          <FileDropzone
            label={t(isPicture ? 'events.addPhotos' : 'events.addFiles')}
            accept={getAccept(type)}
            controlProps={controlProps}
            onFiles={add}
          />
        )}
      </FormRow>
      {files.length > 0 && (
        <ul class="thumbnails">
          {files.map((file, index) => (
            <li key={toKey(file)}>
              <Thumbnail file={file} />
              <span>
                {toPlainText(file.name)} <small>{formatSize(file.size)}</small>
              </span>
              {sentCount === undefined ? (
                <button
                  type="button"
                  class="round"
                  aria-label={t('events.removeFile', { file: toPlainText(file.name) })}
                  onClick={() => onFiles(files.filter(each => each !== file))}
                >
                  <Icon name="close" />
                </button>
              ) : (
                index < sentCount && <Icon name="check" />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** The picture in a file; an icon for files that browsers do not display as pictures. */
function Thumbnail({ file }: { readonly file: File }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!file.type.startsWith('image/') || file.type === 'image/svg+xml') return undefined
    const created = URL.createObjectURL(file)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [file])
  return (
    <span class="thumbnail">
      {url === undefined ? (
        <Icon name="file" />
      ) : (
        <img src={url} alt={toPlainText(file.name)} decoding="async" onError={() => setUrl(undefined)} />
      )}
    </span>
  )
}

function toKey({ lastModified, name, size }: File): string {
  return `${lastModified} ${size} ${name}`
}

function getAccept(type: string): string {
  const kind = { picture: 'image/*', audio: 'audio/*', video: 'video/*' }[type.split('/')[0]!]
  return kind ?? ''
}
