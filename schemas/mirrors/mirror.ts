/** Mirrors: read-only copies of what others let this account see. (docs/api/mirrors.md) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, Timestamp } from '../scalars.js'

/** An account on another server, or on this one. */
const MirroredPerson = Type.Object({ username: Type.String(), host: Type.String() }, closed)

/** Why a copy has ended: the permission is gone, the user has deleted the mirror, or the relationship is gone. */
export const MirrorEnd = Type.Enum(['revoked', 'deleted', 'relationship-ended'])
export type MirrorEnd = Static<typeof MirrorEnd>

/** Why the last contact has failed. `status`: the status of the response, if there was one. */
export const MirrorError = Type.Object(
  {
    id: Type.Enum([
      'internal-address',
      'odd-response',
      'over-quota',
      'refused',
      'timeout',
      'too-large',
      'too-many-events',
      'unreachable'
    ]),
    status: Type.Optional(Type.Integer())
  },
  closed
)
export type MirrorError = Static<typeof MirrorError>

/** A mirror as stored and shown. */
export const Mirror = Type.Object(
  {
    id: Identifier,
    /** The access of this account that the other person holds: their side of the relationship. */
    accessId: Identifier,
    /** Whose data is copied. */
    person: MirroredPerson,
    /** The stream below which the copy is. */
    streamId: Identifier,
    /** `starting`: the first copy is not complete. `erasing`, `erased`: it has ended. */
    state: Type.Enum(['starting', 'live', 'erasing', 'erased']),
    created: Timestamp,
    /** When the other server was last reached. */
    lastContact: Type.Optional(Timestamp),
    /** When the whole copy was last compared with the original. */
    lastComparison: Type.Optional(Timestamp),
    error: Type.Optional(MirrorError),
    /** Number of events of the copy, as of the last contact. */
    events: Type.Integer(),
    /** Number of events that are not copied, because they are too large, or have contents that this service does not take. */
    skipped: Type.Integer(),
    ended: Type.Optional(Type.Object({ reason: MirrorEnd, time: Timestamp }, closed)),
    erased: Type.Optional(Timestamp),
    /** What was erased, signed by this service. */
    receipt: Type.Optional(Type.String())
  },
  closed
)
export type Mirror = Static<typeof Mirror>
