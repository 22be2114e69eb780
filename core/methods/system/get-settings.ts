/** `system.getSettings`: the settings in force, without secrets. (docs/spec/administration.md#settings) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { listPublicSettings } from '../../settings/public-settings.js'

const PublicSetting = Type.Object({
  key: Type.String(),
  description: Type.String(),
  /** The value of the setting; absent if it is a secret. */
  value: Type.Optional(Type.Unknown()),
  isSecret: Type.Boolean(),
  /** Whether the value is the default; for a secret, whether no secret is set. */
  isStandard: Type.Boolean()
})

/** `GET /system/settings`, in the order of the reference. */
export const getSettings = operatorMethod({
  id: 'system.getSettings',
  summary: 'List the current settings',
  params: Type.Object({}, closed),
  result: Type.Object({ settings: Type.Array(PublicSetting) }),
  run: ({ services }) => ({ settings: listPublicSettings(services.config) })
})
