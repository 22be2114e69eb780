/** `system.createResetLink`: a link for a new password, for the operator to hand over. (docs/spec/administration.md#passwords) */
import { Type } from 'typebox'
import { closed, Timestamp } from '../../../schemas/scalars.js'
import { adminOnly } from '../../auth/admin.js'
import { requireServedAccount } from '../../platform/find-account.js'
import { serviceMethod } from '../../call/method.js'
import { createToken } from '../../ids.js'
import { storeResetToken, buildResetLink } from '../../sign-in/password-reset.js'
import { requirePasswordsEnabled } from '../../sign-in/passwords.js'

/** `POST /system/users/{username}/reset-link`: 201. The link replaces earlier ones, and no mail is sent. */
export const createResetLink = serviceMethod({
  id: 'system.createResetLink',
  summary: 'Create a password reset link for a user',
  params: Type.Object({ username: Type.String() }, closed),
  result: Type.Object({
    resetLink: Type.Object({ username: Type.String(), url: Type.String(), expires: Timestamp })
  }),
  allow: requirePasswordsEnabled(adminOnly),
  auditActor: 'admin',
  describeAction: () => ({}),
  async run({ services, now }, params) {
    const account = requireServedAccount(services, params.username)
    const { username } = account
    const store = services.accounts.openStore(account)
    const token = createToken()
    const expires = await store.write(() => storeResetToken(services, store, token, now))
    return { resetLink: { username, url: buildResetLink(services.config, username, token), expires } }
  }
})
