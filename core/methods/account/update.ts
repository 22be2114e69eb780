/** Changes values of account fields, in the form of older clients. (docs/spec/accounts.md#account-object) */
import { Type, type Static } from 'typebox'
import { AccountView, EmailChanges } from '../../../schemas/account.js'
import { proofParams } from '../../../schemas/passkey.js'
import { closed } from '../../../schemas/scalars.js'
import { checkFieldValue } from '../../account/check-field-value.js'
import { changeAddresses, changesPrimary } from '../../account/email/addresses.js'
import { setValue } from '../../account/values.js'
import { toAccountObject } from '../../account/account-object.js'
import { personalOnly } from '../../auth/allow.js'
import { fail, quoteText } from '../../errors.js'
import { method, type Call } from '../../call/method.js'
import { getAccountStreams, type AccountField } from '../../account/fields.js'
import { getConfirmedAddress, getCurrentAddress } from '../../account/email/address.js'
import { requireOwner } from '../../sign-in/passkeys/owner-proof.js'
import { refuseParams } from '../../validation/params.js'

const Update = Type.Object(
  {
    /** Changes of the list of addresses, carried out in the order `add`, `setPrimary`, `remove`, `resend`. */
    emails: Type.Optional(EmailChanges),
    /** Proof of identity for another `email` or primary address, unless the user has recently signed in. */
    ...proofParams
  },
  { additionalProperties: Type.Unknown() }
)

/**
 * Returns the changed account. Each value replaces the value in force of its field. Another email address requires a
 * proof or a recent sign-in, and takes effect once it is confirmed. (docs/spec/accounts.md#email-address)
 */
export const update = method({
  id: 'account.update',
  summary: 'Update account values',
  params: Type.Object({ update: Update }, closed),
  result: Type.Object({ account: AccountView }),
  mode: 'write',
  allow: personalOnly,
  async prepare(call, { update: fields }) {
    const { store } = call
    const email = parseValues(call, fields).find(([{ name }]) => name === 'email')?.[1]
    const isOther =
      email !== undefined && ![getCurrentAddress(store), getConfirmedAddress(store)].includes(email as string)
    if (!isOther && !(fields.emails && changesPrimary(store, fields.emails))) return false
    await requireOwner(call, fields)
    return true
  },
  run(call, { update: fields }, isOwnerProven) {
    for (const [field, value] of parseValues(call, fields)) setValue(call, field, value, isOwnerProven)
    if (fields.emails) changeAddresses(call, fields.emails, isOwnerProven)
    return { account: toAccountObject(call) }
  }
})

/**
 * Returns the values to set with their fields. Errors: the errors of {@link requireEditableField}, and
 * `invalid-parameters-format` for invalid values.
 */
function parseValues(call: Call, fields: Static<typeof Update>): (readonly [AccountField, unknown])[] {
  // The proof belongs to a change of address; by itself, it must not be treated as a change of password.
  const { emails, ...allFields } = fields
  const { credential: _credential, password: _password, ...others } = allFields
  const isProof = Object.hasOwn(fields, 'email') || emails?.setPrimary !== undefined
  const named = isProof ? others : allFields
  const values = Object.entries(named).map(
    ([name, value]) => [requireEditableField(call, name), value] as const
  )
  const violations = values.flatMap(
    ([field, value]) => checkFieldValue(field, value, `#/${field.name}`) ?? []
  )
  if (violations.length > 0) refuseParams(violations)
  return values
}

/**
 * Returns the field with this name. Errors: `invalid-operation` for a field that cannot be changed,
 * `invalid-parameters-format` for an unknown field.
 */
function requireEditableField({ services }: Call, name: string): AccountField {
  const field = getAccountStreams(services.config).byName.get(name)
  if (field?.isEditable && field.isShown) return field
  if (field || name === 'username')
    fail('invalid-operation', `The ${name} cannot be changed`, { param: name })
  const message = `Unknown property ${quoteText(name)}`
  return refuseParams([{ code: 'OBJECT_ADDITIONAL_PROPERTIES', message, path: '#', params: [name] }])
}
