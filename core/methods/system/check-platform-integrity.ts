/** `system.checkPlatformIntegrity`: whether the platform database is consistent with the accounts. (docs/spec/administration.md#platform-integrity) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { requireServedAccount } from '../../platform/find-account.js'
import { checkPlatform, IntegrityCheck } from '../../platform/integrity-check.js'

/** `GET /system/check-platform-integrity`; with `username` only what concerns that account. */
export const checkPlatformIntegrity = operatorMethod({
  id: 'system.checkPlatformIntegrity',
  summary: 'Check the platform database against the accounts',
  params: Type.Object({ username: Type.Optional(Type.String()) }, closed),
  result: Type.Object({ checks: Type.Array(IntegrityCheck) }),
  run: async (call, { username }) => ({
    checks: await checkPlatform(
      call,
      username === undefined ? undefined : requireServedAccount(call.services, username)
    )
  })
})
