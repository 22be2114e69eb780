/** Asks for confirmation of an action that cannot be undone or has further effects, which it lists first. */
import type { ComponentChildren } from 'preact'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Dialog } from './dialog.js'

interface Props {
  readonly title: string
  /** The effects of the action. */
  readonly children: ComponentChildren
  /** Label of the confirming button. */
  readonly action: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/**
 * Shows the dialog. Awaits `onConfirm`, whose error is shown at the button; it has to close the dialog itself.
 */
export function Confirm({ title, children, action, onConfirm, onClose }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="actions">
        <Action class="button danger" onClick={onConfirm}>
          {action}
        </Action>
        <button type="button" class="button" onClick={onClose}>
          {t('shell.cancel')}
        </button>
      </div>
    </Dialog>
  )
}
