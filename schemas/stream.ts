/** A stream: a node of the tree in which events are organised. (docs/spec/streams.md#fields) */
import { Type, type Static } from 'typebox'
import { Identifier, KeyValue, tracking } from './scalars.js'

/** A stream by itself, without its children. `parentId` is `null` for a root. */
export const Stream = Type.Object({
  id: Identifier,
  name: Type.String({ minLength: 1 }),
  parentId: Type.Union([Identifier, Type.Null()]),
  clientData: Type.Optional(KeyValue),
  trashed: Type.Optional(Type.Boolean()),
  ...tracking
})
export type Stream = Static<typeof Stream>

/**
 * A stream with all streams below it; `childrenHidden` if the children are returned only by a request with their
 * `parentId`.
 */
export const StreamTree = Type.Cyclic(
  {
    StreamTree: Type.Object({
      ...Stream.properties,
      children: Type.Array(Type.Ref('StreamTree')),
      childrenHidden: Type.Optional(Type.Boolean())
    })
  },
  'StreamTree'
)
