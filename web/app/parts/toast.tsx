/** Short messages at the edge of the page, optionally with an undo button. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { explainError, type Message } from '../../explain-error.js'
import { createStore, useStore } from '../data/store.js'

interface Toast {
  readonly text: Message
  readonly undo?: () => Promise<void>
}

const current = createStore<Toast | undefined>(undefined)
/** Milliseconds for which a message is shown. */
const displayMs = 8000

/**
 * Shows a message for some seconds, in place of an earlier one; `undo` reverts the action that it reports.
 */
export function showToast(text: Message, undo?: () => Promise<void>): void {
  current.set({ text, ...(undo ? { undo } : {}) })
}

/** Shows why something failed. */
export function showFailure(error: unknown): void {
  showToast(explainError(error).message)
}

/** Renders messages. Must be used once per page. */
export function Toasts() {
  const toast = useStore(current)
  const [isHeld, setHeld] = useState(false)
  // The next user must not see earlier messages.
  useEffect(() => () => current.set(undefined), [])
  useEffect(() => {
    if (!toast || isHeld) return undefined
    const timer = setTimeout(() => current.set(undefined), displayMs)
    return () => clearTimeout(timer)
  }, [toast, isHeld])
  return (
    <div
      class="toasts"
      role="status"
      onFocusCapture={() => setHeld(true)}
      onBlurCapture={() => setHeld(false)}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
    >
      {toast && (
        <p class="toast">
          <span>{toast.text}</span>
          {toast.undo && (
            <button
              type="button"
              onClick={() => {
                current.set(undefined)
                toast.undo!().catch(showFailure)
              }}
            >
              {t('shell.undo')}
            </button>
          )}
        </p>
      )}
    </div>
  )
}
