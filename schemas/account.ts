/** The fields of a registration. (docs/spec/registration.md#fields) */
import { Type, type Static } from 'typebox'
import { closed } from './scalars.js'

/** Error codes by which registration clients tell what is wrong with a field; see core/validation/params.ts. */
const codes = (name: string, required = `${name}-required`) => ({
  invalidCode: `${name}-invalid`,
  requiredCode: required
})

/** Also used as a host name label, hence lower case. */
export const Username = Type.String({
  minLength: 5,
  maxLength: 60,
  pattern: '^[a-z0-9][a-z0-9-]*[a-z0-9]$',
  ...codes('username')
})

/** A new password. Long enough to be hard to guess, short enough to be hashed quickly. */
export const NewPassword = Type.String({ minLength: 6, maxLength: 100, ...codes('password') })

/** As {@link NewPassword}, for params of methods other than registration. */
export const PlainPassword = Type.String({ minLength: 6, maxLength: 100 })

/**
 * A password as hashed elsewhere: argon2id or bcrypt, in the form that names its algorithm. Parameters that
 * would take more than a gigabyte, or minutes, to verify are refused.
 */
export const PasswordHash = Type.String({
  maxLength: 400,
  pattern:
    '^(?:\\$argon2id\\$v=19\\$m=\\d{1,6},t=\\d{1,2},p=\\d{1,2}\\$[A-Za-z0-9+/]{11,86}\\$[A-Za-z0-9+/]{16,172}|\\$2[abxy]\\$(?:0[4-9]|1[0-6])\\$[./A-Za-z0-9]{53})$',
  ...codes('passwordHash')
})

/** Addresses must not contain line breaks or lone surrogates. */
export const mailable = '^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]*$'

/** Not checked further: only its mail server knows whether an address is valid. */
export const Email = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: mailable,
  ...codes('email')
})

/** The id by which an app identifies itself. */
export const AppId = Type.String({ minLength: 6, maxLength: 99, ...codes('appid', 'appid-invalid') })

export const Language = Type.String({ minLength: 1, maxLength: 5, ...codes('language') })

/** Params of a registration. Further fields are tolerated. */
export const Registration = Type.Object({
  appId: AppId,
  username: Username,
  password: NewPassword,
  email: Email,
  language: Type.Optional(Language),
  invitationToken: Type.Optional(
    Type.Union([Type.String({ maxLength: 99 }), Type.Null()], codes('invitationToken'))
  ),
  referer: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 99 }), Type.Null()], codes('referer'))
  ),
  hosting: Type.Optional(Type.Union([Type.String({ maxLength: 99 }), Type.Null()], codes('hosting')))
})
export type Registration = Static<typeof Registration>

/**
 * As {@link Registration}, by a user with a proven identity, who needs no password.
 * (docs/spec/identities.md#registering)
 */
export const IdentityRegistration = Type.Object({
  ...Registration.properties,
  password: Type.Optional(NewPassword),
  identity: Type.Object(
    {
      ticket: Type.String({ minLength: 1, maxLength: 100 }),
      secret: Type.String({ minLength: 1, maxLength: 100 })
    },
    { additionalProperties: false, ...codes('identity') }
  )
})
export type IdentityRegistration = Static<typeof IdentityRegistration>

/** An address as users see it. */
export const EmailView = Type.Object({
  value: Type.String(),
  /** Whether password reset links go to this address. */
  primary: Type.Boolean(),
  status: Type.Enum(['pending', 'verified']),
  /** Seconds. */
  verifiedAt: Type.Union([Type.Number(), Type.Null()]),
  verificationMethod: Type.Union([
    Type.Enum(['email-link', 'operator', 'registration', 'legacy']),
    Type.Null()
  ])
})
export type EmailView = Static<typeof EmailView>

const Addresses = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 20 }))

/** Changes of the list, carried out in this order. */
export const EmailChanges = Type.Object(
  {
    add: Addresses,
    setPrimary: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
    remove: Addresses,
    resend: Addresses
  },
  closed
)
export type EmailChanges = Static<typeof EmailChanges>

/** The account as `account.get` shows it, with the fields that the operator adds. */
export const AccountView = Type.Object({
  username: Username,
  email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  language: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  storageUsed: Type.Object({ dbDocuments: Type.Number(), attachedFiles: Type.Number() }),
  /** All addresses, the primary one first, which is also `email`. */
  emails: Type.Array(EmailView)
})
