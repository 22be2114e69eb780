/** `system.createUser`: an account whose password was hashed elsewhere. (docs/spec/administration.md#creating-a-user) */
import { Type } from 'typebox'
import { Email, Language, PasswordHash, Username } from '../../../schemas/account.js'
import { orNull } from '../../../schemas/scalars.js'
import { adminOnly } from '../../auth/admin.js'
import { newId } from '../../ids.js'
import { welcome } from '../../registration/welcome-mail.js'
import { serviceMethod } from '../../call/method.js'
import { fillAccount, refuseTaken, unavailable } from '../../registration/register.js'
import { checkGiven, uniqueOf, valuesOf } from '../../registration/fields.js'
import { withPasswords } from '../../sign-in/passwords-off.js'

/** `POST /system/create-user`: 201 with the account's id. Further fields are tolerated. */
export const createUser = serviceMethod({
  id: 'system.createUser',
  summary: 'Create an account as the operator',
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
  mode: 'service',
  allow: withPasswords(adminOnly),
  auditAs: 'admin',
  deed: () => ({}),
  async run({ services, now }, fields) {
    const { email, language, passwordHash, username } = fields
    checkGiven(services, fields)
    const values = valuesOf(services, fields)
    const claim = { id: newId(), username, created: now, unique: uniqueOf(services, values) }
    // Nobody but the holder of the key can make the account of an operator.
    const isOperators = services.config.operators.includes(username)
    refuseTaken(isOperators ? services.platform.listTaken(claim) : unavailable(services, claim), {
      username,
      ...claim.unique
    })
    const lost = await services.accounts.create({
      ...claim,
      fill: store => fillAccount(services, store, values, { hash: passwordHash, created: now }, 'system')
    })
    refuseTaken(lost, { username, ...claim.unique })
    welcome(services, { accountId: claim.id, username, email, language })
    return { id: claim.id }
  }
})
