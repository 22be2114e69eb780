/** Policies that the core decides and storage applies whenever it writes a row: integrity, versioning, system streams. */
import type { Access } from '../../schemas/access.js'
import type { Steps } from '../steps.js'
import type { SystemStreams } from '../streams/system-streams.js'

/** Computes integrity values; `undefined` if they are switched off. (docs/spec/integrity.md#values) */
export interface Digests {
  /** The integrity value of an event in its public form, or of what remains of a deleted one. */
  event(event: object): string | undefined
  /** Like {@link event}, for a large event, in steps. Returns its JSON text too, with the value in place. */
  largeEvent(event: object): Steps<{ readonly body: string; readonly integrity: string | undefined }>
  /** The integrity value of an access, which is given without one. */
  access(access: Access): string | undefined
}

/**
 * What remains of a deleted event: only its id; its id and who changed it when; or everything.
 * (docs/spec/events.md#what-a-deletion-leaves)
 */
type DeletionMode = 'keep-nothing' | 'keep-authors' | 'keep-everything'

interface Versioning {
  /** Whether changes and deletions keep the earlier version. */
  readonly forceKeepHistory: boolean
  readonly deletionMode: DeletionMode
}

export interface Policies {
  readonly digests: Digests
  readonly versioning: Versioning
  readonly system: SystemStreams
  /** Maximum number of records per account and hour of calls without a valid token or beyond the rate limit. */
  readonly anonymousCallsPerHour: number
}
