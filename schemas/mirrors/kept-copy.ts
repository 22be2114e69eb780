/** Copies that others keep of this account, and what their servers report. (docs/api/mirrors.md#reports) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, Timestamp } from '../scalars.js'

/** Reads of a copy: by one reader, of one stream, on one day. */
export const CopyRead = Type.Object(
  {
    /** Days since 1970, in UTC. */
    day: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    /** Name of the app; empty for the person. */
    reader: Type.String({ maxLength: 200 }),
    /** Empty for calls that have read several streams. */
    streamId: Type.String({ maxLength: 1024 }),
    calls: Type.Integer({ minimum: 1, maximum: 1e9 }),
    /** Number of events that were read, as far as the number is known for the stream. */
    events: Type.Integer({ minimum: 0, maximum: 1e12 })
  },
  closed
)
export type CopyRead = Static<typeof CopyRead>

/** Maximum number of reads of one report. */
export const maxReads = 200

/** What a server reports that keeps a copy. */
export const CopyReport = Type.Object(
  {
    /** Counts the reports: one that arrives twice counts once. */
    number: Type.Integer({ minimum: 1, maximum: 1e12 }),
    state: Type.Enum(['live', 'erased']),
    reads: Type.Array(CopyRead, { maxItems: maxReads }),
    /** Signed by the server; only of a copy that is erased. */
    receipt: Type.Optional(Type.String({ maxLength: 8192, pattern: '^[A-Za-z0-9_.-]+$' }))
  },
  closed
)
export type CopyReport = Static<typeof CopyReport>

/** A copy that someone keeps. */
export const KeptCopy = Type.Object(
  {
    /** The access with which it is read. */
    accessId: Identifier,
    state: Type.Enum(['live', 'erased']),
    lastContact: Timestamp,
    erased: Type.Optional(Timestamp),
    receipt: Type.Optional(Type.String())
  },
  closed
)

/** The same as stored. `number`: of the last report. */
export const StoredKeptCopy = Type.Object({ ...KeptCopy.properties, number: Type.Integer() }, closed)
export type StoredKeptCopy = Static<typeof StoredKeptCopy>
