/** State of the dialog for adding events, which can be opened from anywhere. */
import { createStore } from '../data/store.js'

interface EventDraft {
  readonly streamId?: string
  readonly type?: string
  /** The stream to create, if there is none for the event yet. */
  readonly newStream?: { readonly name: string; readonly measure?: string }
  /** In seconds. Default: now. */
  readonly time?: number
}

/** The event being added; undefined while the dialog is closed. */
export const currentDraft = createStore<EventDraft | undefined>(undefined)

/** Opens the dialog for adding an event. Its fields begin with the draft. */
export function openAddDialog(draft: EventDraft = {}): void {
  currentDraft.set(draft)
}

/** Props of the dialog, which closes itself when done. */
export interface AddProps {
  readonly draft: EventDraft
  /** Closes the dialog. */
  readonly onClose: () => void
}
