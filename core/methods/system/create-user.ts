/** `system.createUser`: an account whose password was hashed elsewhere. (docs/spec/administration.md#creating-a-user) */
import { Type } from 'typebox'
import { Email, Language, PasswordHash, Username } from '../../../schemas/account.js'
import { orNull } from '../../../schemas/scalars.js'
import { recordVerification } from '../../account/email/addresses.js'
import { adminOnly } from '../../auth/admin.js'
import { createId } from '../../ids.js'
import { sendWelcomeMail, fillAccount, assertNotTaken, listUnavailable } from '../../registration/register.js'
import { serviceMethod } from '../../call/method.js'
import { checkOptionalFields, selectUniqueValues, selectFieldValues } from '../../registration/fields.js'
import { requirePasswordsEnabled } from '../../sign-in/passwords.js'

/**
 * `POST /system/create-user`: 201 with the account's id. Further fields are tolerated. The address counts as
 * verified, and a welcome mail is sent. Only this method creates accounts of operators. Throws
 * `item-already-exists`.
 */
export const createUser = serviceMethod({
  id: 'system.createUser',
  summary: 'Create an account, as the operator',
  params: Type.Object({
    username: Username,
    passwordHash: PasswordHash,
    email: Email,
    language: Language,
    appId: orNull(Type.String({ maxLength: 99 })),
    referer: orNull(Type.String({ maxLength: 99 })),
    invitationToken: orNull(Type.String({ maxLength: 99 }))
  }),
  result: Type.Object({ id: Type.String() }),
  allow: requirePasswordsEnabled(adminOnly),
  auditActor: 'admin',
  describeAction: () => ({}),
  async run({ services, now }, fields) {
    const { email, language, passwordHash, username } = fields
    checkOptionalFields(services, fields)
    const values = selectFieldValues(services, fields)
    const claim = { id: createId(), username, created: now, unique: selectUniqueValues(services, values) }
    // Only the holder of the key may create the account of an operator.
    const isOperators = services.config.operators.includes(username)
    assertNotTaken(isOperators ? services.platform.listTaken(claim) : listUnavailable(services, claim), {
      username,
      ...claim.unique
    })
    const lost = await services.accounts.create({
      ...claim,
      fill(store) {
        fillAccount(services, store, values, {
          password: { hash: passwordHash, created: now },
          by: 'system'
        })
        recordVerification(store, email, { method: 'operator', now })
      }
    })
    assertNotTaken(lost, { username, ...claim.unique })
    sendWelcomeMail(services, { accountId: claim.id, username, email, language }, false)
    return { id: claim.id }
  }
})
