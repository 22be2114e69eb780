/** An access: a token and what it permits. (docs/spec/accesses.md#fields) */
import { Type, type Static } from 'typebox'
import { Identifier, KeyValue, Timestamp, tracking } from './scalars.js'
import { Permission, StreamPermission } from './permission.js'

/**
 * A permission that ended when its stream was deleted, and the time in which it applied to that stream. It grants nothing
 * any more, but still decides who sees records of the stream, and keeps wider permissions from applying instead.
 */
export const EndedPermission = Type.Object({
  ...StreamPermission.properties,
  since: Timestamp,
  until: Timestamp
})
export type EndedPermission = Static<typeof EndedPermission>

export const AccessType = Type.Enum(['personal', 'app', 'shared'])
export type AccessType = Static<typeof AccessType>

/** The form of aliases. User names of this form cannot be registered. */
export const aliasPattern = /^r-[a-z0-9]{8}$/
/** The field name of aliases among unique values. No account field has a name with a space. */
export const aliasField = 'access alias'

/** An access as clients see it. `expires` and `lastUsed` are times; personal accesses have no `permissions`. */
export const Access = Type.Object({
  id: Identifier,
  token: Type.String(),
  type: AccessType,
  name: Type.String(),
  deviceName: Type.Optional(Type.String()),
  permissions: Type.Optional(Type.Array(Permission)),
  endedPermissions: Type.Optional(Type.Array(EndedPermission)),
  lastUsed: Type.Optional(Timestamp),
  expires: Type.Optional(Timestamp),
  /** The name that stands for the user name in everything that the holder of the token sees. */
  alias: Type.Optional(Type.String({ pattern: aliasPattern.source })),
  clientData: Type.Optional(KeyValue),
  deleted: Type.Optional(Timestamp),
  integrity: Type.Optional(Type.String()),
  ...tracking
})
/** An access as stored. `serial`: how often it was updated, if ever; on the wire it is a part of the id. */
export type Access = Static<typeof Access> & { readonly serial?: number }
