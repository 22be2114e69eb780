/** State of the dialog for adding events, which can be opened from anywhere. */
import { storeOf } from '../data/store.js'

export interface Draft {
  readonly streamId?: string
  readonly type?: string
  /** In seconds. Default: now. */
  readonly time?: number
}

/** The event being added; undefined while the dialog is closed. */
export const adding = storeOf<Draft | undefined>(undefined)

/** Opens the dialog for adding an event. */
export function add(draft: Draft = {}): void {
  adding.set(draft)
}

/** Props of the dialog, which closes itself when done. */
export interface AddProps {
  readonly draft: Draft
  readonly onClose: () => void
}
