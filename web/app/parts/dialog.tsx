/** A modal dialog: centred, or at the bottom on phones. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../../language.js'
import { Icon } from './icon.js'

interface Props {
  readonly title: string
  /** Called when the user closes it in any way. */
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly isWide?: boolean
}

/**
 * Shows its children in a modal dialog and gives the focus back when removed. `onClose` is called by the close
 * button, Escape and the backdrop; the parent removes it.
 */
export function Dialog({ title, onClose, children, isWide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opened = dialog.current!
    const before = document.activeElement
    opened.showModal()
    return () => {
      opened.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={event => {
        // A click on the backdrop targets the dialog element itself.
        if (event.target === dialog.current) onClose()
      }}
    >
      <div class="box">
        <header>
          <h2 id={id} tabIndex={-1}>
            {title}
          </h2>
          <button type="button" class="round" aria-label={t('shell.close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
