/** What the set-up page sends. (docs/spec/administration.md#set-up) */
import { Type, type Static } from 'typebox'
import { Email, Language, NewPassword, Username } from './account.js'
import { closed } from './scalars.js'

const Secret = Type.String({ minLength: 1, maxLength: 200 })

/** Choices about the service; `null` and absent values keep the setting. */
const serviceChoices = {
  serviceName: Type.String({ maxLength: 100 }),
  publicUrl: Type.String({ maxLength: 500 }),
  registration: Type.Enum(['open', 'invited', 'closed']),
  accessUpdates: Type.Boolean(),
  mailHost: Type.String({ maxLength: 300 }),
  mailPort: Type.Integer(),
  mailEncryption: Type.Enum(['auto', 'starttls', 'tls']),
  mailUser: Type.String({ maxLength: 300 }),
  mailPassword: Type.String({ maxLength: 300 }),
  mailFrom: Type.String({ maxLength: 300 })
}

export const SetupChoices = Type.Partial(Type.Object(serviceChoices), closed)
export type SetupChoices = Static<typeof SetupChoices>

export const SetupCheck = Type.Object({ secret: Secret }, closed)
export const SetupMail = Type.Object(
  { secret: Secret, choices: SetupChoices, email: Email, language: Language },
  closed
)
export const SetupFinish = Type.Object(
  {
    secret: Secret,
    username: Username,
    password: NewPassword,
    email: Email,
    language: Language,
    choices: SetupChoices
  },
  closed
)
export type SetupCheck = Static<typeof SetupCheck>
export type SetupMail = Static<typeof SetupMail>
export type SetupFinish = Static<typeof SetupFinish>
