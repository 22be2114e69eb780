/** Changes values of account fields, in the form of older clients. (docs/spec/accounts.md#account-object) */
import { Type } from 'typebox'
import { AccountView } from '../../../schemas/account.js'
import { closed } from '../../../schemas/scalars.js'
import { violationOf } from '../../account/value-check.js'
import { setValue } from '../../account/values.js'
import { accountView } from '../../account/view.js'
import { personalOnly } from '../../auth/allow.js'
import { fail } from '../../errors.js'
import { method, type Call } from '../../call/method.js'
import { accountStreams, type AccountField } from '../../account/fields.js'
import { refuseParams } from '../../validation/params.js'

/** Returns the changed account. Each value replaces the one in force. */
export const update = method({
  id: 'account.update',
  summary: 'Change values of the account',
  params: Type.Object({ update: Type.Record(Type.String(), Type.Unknown()) }, closed),
  result: Type.Object({ account: AccountView }),
  mode: 'write',
  allow: personalOnly,
  run(call, { update: given }) {
    const values = Object.entries(given).map(([name, value]) => [editable(call, name), value] as const)
    const violations = values.flatMap(([field, value]) => violationOf(field, value, `#/${field.name}`) ?? [])
    if (violations.length > 0) refuseParams(violations)
    for (const [field, value] of values) setValue(call, field, value)
    return { account: accountView(call) }
  }
})

/** The field of a name. Errors: `invalid-operation` for what cannot be changed, `invalid-parameters-format` for others. */
function editable({ services }: Call, name: string): AccountField {
  const field = accountStreams(services.config).byName.get(name)
  if (field?.isEditable && field.isShown) return field
  if (field || name === 'username')
    fail('invalid-operation', `The ${name} cannot be changed`, { param: name })
  const message = `Unknown property "${name.slice(0, 100)}"`
  return refuseParams([{ code: 'OBJECT_ADDITIONAL_PROPERTIES', message, path: '#', params: [name] }])
}
