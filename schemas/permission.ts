/** What an access may do: levels on streams, and features. (docs/spec/accesses.md#permissions) */
import { Type, type Static } from 'typebox'
import { Identifier } from './scalars.js'

/** Levels from none to all; see core/permissions/levels.ts for what each allows. */
export const Level = Type.Enum(['none', 'read', 'create-only', 'contribute', 'manage'])
export type Level = Static<typeof Level>

/** A level on a stream and all streams below it; `*` stands for every stream. */
export const StreamPermission = Type.Object({ streamId: Identifier, level: Level })
export type StreamPermission = Static<typeof StreamPermission>

/** A feature that is switched off for the access. */
export const FeaturePermission = Type.Object({
  feature: Type.Enum(['selfRevoke', 'selfAudit', 'secretSharing']),
  setting: Type.Literal('forbidden')
})
export type FeaturePermission = Static<typeof FeaturePermission>

export const Permission = Type.Union([StreamPermission, FeaturePermission])
export type Permission = Static<typeof Permission>

/** Returns whether a permission applies to a stream. */
export function isStreamPermission(permission: Permission): permission is StreamPermission {
  return 'streamId' in permission
}
