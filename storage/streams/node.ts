/** A stream as it is kept. */
import type { Stream } from '../../schemas/stream.js'

/** A stream at its place in the tree. */
export interface StreamNode {
  /** By which events refer to the stream. */
  readonly number: number
  readonly stream: Stream
  /** JSON text of `stream`. */
  readonly text: string
  readonly parent: StreamNode | undefined
  /** In no particular order. */
  readonly children: ReadonlySet<StreamNode>
  /** What it is for, if it is one of the service's own. */
  readonly system: SystemStream | undefined
}

/** `account`: fields and what groups them; `mark`: tells of the values of fields; `other`: much like a user's own. */
export type SystemKind = 'account' | 'mark' | 'other'

export interface SystemStream {
  readonly stream: Stream
  readonly kind: SystemKind
  /** Nobody gets to see it, nor the events in it. */
  readonly isHidden: boolean
}
