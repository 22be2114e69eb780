/** Streams as nodes of a tree. */
import type { Stream } from '../../schemas/stream.js'

/** A stream with its place in the tree. */
export interface StreamNode {
  /** The number by which events refer to the stream. */
  readonly number: number
  readonly stream: Stream
  /** JSON text of `stream`. */
  readonly text: string
  readonly parent: StreamNode | undefined
  /** In no particular order. */
  readonly children: ReadonlySet<StreamNode>
  /** Set for system streams. */
  readonly system: SystemStream | undefined
}

/** `account`: account fields and their groups; `mark`: marks values of fields, as active or unique; `other`: similar to a user's streams. */
export type SystemKind = 'account' | 'mark' | 'other'

export interface SystemStream {
  readonly stream: Stream
  readonly kind: SystemKind
  /** Whether neither the stream nor the events in it are ever shown. */
  readonly isHidden: boolean
}
