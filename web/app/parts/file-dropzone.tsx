/** A labelled area on which files are dropped, or which opens the file dialog. Browsers label their own control in their own language. */
import './file-dropzone.css'
import { useState } from 'preact/hooks'
import type { ControlAttributes } from './form-row.js'
import { Icon } from './icon.js'

interface Props {
  readonly label: string
  /** Types of files that the dialog offers; default: all. */
  readonly accept?: string
  /** Attributes of the field in a form. */
  readonly controlProps?: ControlAttributes
  readonly onFiles: (files: readonly File[]) => void
}

/** Shows the area. `accept` limits only the file dialog: `onFiles` receives whatever is dropped. */
export function FileDropzone({ label, accept = '', controlProps, onFiles }: Props) {
  const [isOver, setOver] = useState(false)
  return (
    <label
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault()
        // A section around it takes files, too.
        event.stopPropagation()
        setOver(false)
        onFiles([...(event.dataTransfer?.files ?? [])])
      }}
    >
      <Icon name="plus" />
      <span>{label}</span>
      <input
        {...controlProps}
        type="file"
        multiple
        accept={accept}
        onChange={event => {
          const files = [...(event.currentTarget.files ?? [])]
          // The same file can be chosen again.
          event.currentTarget.value = ''
          onFiles(files)
        }}
      />
    </label>
  )
}
