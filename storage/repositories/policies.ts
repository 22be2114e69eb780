/** What a user's file keeps beside what it is told. Decided above storage, applied wherever a row is written. */
import type { Access } from '../../schemas/access.js'
import type { Steps } from '../steps.js'
import type { SystemStreams } from '../streams/system-streams.js'

/** Proves that items are as they were written. A value is `undefined` where that is switched off. (docs/spec/integrity.md#values) */
export interface Digests {
  /** Integrity value of an event as it will be shown, or of what is left of one. */
  event(event: object): string | undefined
  /** Of a large event, in steps: with its JSON text, in which the value has its place. */
  largeEvent(event: object): Steps<{ readonly body: string; readonly integrity: string | undefined }>
  access(access: Access): string | undefined
}

/** What remains of a deleted event: its id, who changed it and when as well, or all of it. (docs/spec/events.md#what-a-deletion-leaves) */
export type DeletionMode = 'keep-nothing' | 'keep-authors' | 'keep-everything'

export interface Versioning {
  /** Whether what is changed or deleted is kept as an earlier version. */
  readonly forceKeepHistory: boolean
  readonly deletionMode: DeletionMode
}

export interface Policies {
  readonly digests: Digests
  readonly versioning: Versioning
  readonly system: SystemStreams
  /** Records of calls without a valid token that the audit of one account takes in an hour. */
  readonly strangersPerHour: number
}
