/** Adding an event from anywhere: which dialog is open, and with what. */
import { storeOf } from '../data/store.js'

export interface Draft {
  readonly streamId?: string
  readonly type?: string
  /** Seconds; now if it is left out. */
  readonly time?: number
}

/** What is being added; undefined while nothing is. */
export const adding = storeOf<Draft | undefined>(undefined)

/** Opens the dialog. */
export function add(draft: Draft = {}): void {
  adding.set(draft)
}

/** The dialog closes itself when it is done. */
export interface AddProps {
  readonly draft: Draft
  readonly onClose: () => void
}
