/** What the operator's page sends to change settings. (docs/spec/administration.md#changing-settings) */
import { Type, type Static } from 'typebox'
import { closed } from './scalars.js'

const Value = Type.Union([Type.String({ maxLength: 5000 }), Type.Number(), Type.Boolean(), Type.Null()])

/** `version`: the version of the settings that the changes are based on. `null` resets a value to its default. */
export const SettingsUpdate = Type.Object(
  {
    version: Type.String({ minLength: 1, maxLength: 100 }),
    values: Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Value, {
      minProperties: 1,
      maxProperties: 100
    })
  },
  closed
)
export type SettingsUpdate = Static<typeof SettingsUpdate>
