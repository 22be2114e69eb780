/** `system.createUser`: an account whose password was hashed elsewhere. (supplement 22.1, 26) */
import { Type } from 'typebox'
import { Email, Language, PasswordHash, Username } from '../../../schemas/account.js'
import { orNull } from '../../../schemas/scalars.js'
import { adminOnly } from '../../admin.js'
import { newId } from '../../ids.js'
import { welcome } from '../../mail/welcome.js'
import { serviceMethod } from '../../method.js'
import { emailKey, fillAccount, refuseTaken, unavailable } from '../../registration.js'

/** `POST /system/create-user`: 201 with the account's id. Further fields are tolerated. */
export const createUser = serviceMethod({
  id: 'system.createUser',
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
  allow: adminOnly,
  auditAs: 'admin',
  async run({ core, now }, fields) {
    const { email, language, passwordHash, username } = fields
    const claim = { id: newId(), username, created: now, unique: { email: emailKey(email) } }
    refuseTaken(unavailable(core, claim), { username, email })
    const lost = await core.accounts.create({
      ...claim,
      fill: store => fillAccount(store, fields, { hash: passwordHash, created: now })
    })
    refuseTaken(lost, { username, email })
    welcome(core, { accountId: claim.id, username, email, language })
    return { id: claim.id }
  }
})
