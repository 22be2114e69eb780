/** What an access may do: levels on streams, and features. (docs/spec/accesses.md#permissions) */
import { Type, type Static } from 'typebox'
import { Identifier } from './scalars.js'

/** Levels from none to all; see core/permissions/levels.ts for what each allows. */
export const Level = Type.Enum(['none', 'read', 'create-only', 'contribute', 'manage'])
export type Level = Static<typeof Level>

/** A level on a stream and all streams below it; `*` stands for every stream. */
export const StreamPermission = Type.Object({ streamId: Identifier, level: Level })
export type StreamPermission = Static<typeof StreamPermission>

/** The features that can be switched off for an access. (docs/spec/accesses.md#features) */
export const features = ['selfRevoke', 'selfAudit', 'secretSharing'] as const

/** Says whether the access may use a feature, as it may by default. Of two entries for one feature the last counts. */
export const FeaturePermission = Type.Object({
  feature: Type.Enum([...features]),
  setting: Type.Enum(['allowed', 'forbidden'])
})
export type FeaturePermission = Static<typeof FeaturePermission>

export const Permission = Type.Union([StreamPermission, FeaturePermission])
export type Permission = Static<typeof Permission>

/** Returns the setting of a feature; `undefined` if the permissions have none. The last counts. */
export function findSetting(
  permissions: readonly Permission[],
  feature: string
): FeaturePermission['setting'] | undefined {
  const found = permissions.findLast(permission => 'feature' in permission && permission.feature === feature)
  return found && 'setting' in found ? found.setting : undefined
}

/** Returns whether a permission applies to a stream. */
export function isStreamPermission(permission: Permission): permission is StreamPermission {
  return 'streamId' in permission
}
