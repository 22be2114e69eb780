/** What a user's file keeps beside what it is told. Decided above storage, applied wherever a row is written. */
import type { Access } from '../schemas/access.js'

/** Proves that items are as they were written. A value is `undefined` where that is switched off. (supplement 11) */
export interface Seals {
  /** Integrity value of an event as it will be shown, or of what is left of one. */
  event(event: object): string | undefined
  access(access: Access): string | undefined
}

export interface Keeping {
  readonly seals: Seals
}
