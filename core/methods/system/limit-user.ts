/** `system.limitUser`: how much an account may store. (docs/spec/administration.md#limiting) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { requireAccount } from '../../platform/find-account.js'
import { announceAccountChange } from '../../platform/remove-account.js'

const Quota = Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()])

/** `POST /system/users/{username}/quota` with `bytes`: 0 for no limit, `null` for the quota in the settings. */
export const limitUser = operatorMethod({
  id: 'system.limitUser',
  summary: 'Set the storage limit of an account',
  params: Type.Object({ username: Type.String(), bytes: Quota }, closed),
  result: Type.Object({ quota: Type.Object({ username: Type.String(), bytes: Quota }) }),
  describeAction: ({ bytes }) => ({ bytes }),
  async run({ services }, { bytes, username }) {
    const account = requireAccount(services, username)
    await services.accounts.setStorageLimit(account, bytes)
    // Other threads cache accounts, too.
    announceAccountChange(services, account)
    return { quota: { username: account.username, bytes } }
  }
})
