/** Reads the account, in the form of older clients. (docs/spec/accounts.md#account-object) */
import { Type } from 'typebox'
import { AccountView } from '../../../schemas/account.js'
import { toAccountObject } from '../../account/account-object.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'

/** Returns the user name and the values in force of visible fields; `quota` where an operator has set one for this account. */
export const get = method({
  id: 'account.get',
  summary: 'Get account values',
  params: Type.Object({}),
  result: Type.Object({
    account: AccountView,
    /** Bytes that this account may store, in place of the quota in the settings; 0 for no limit. */
    quota: Type.Optional(Type.Number()),
    /** Since when a restored account sends nothing to others, in seconds. (docs/spec/consent.md#after-a-restore) */
    deliveriesPausedSince: Type.Optional(Type.Number())
  }),
  mode: 'read',
  allow: personalOnly,
  run: call => {
    const { since } = call.store.deliveryPause
    return {
      account: toAccountObject(call),
      ...(call.account.quota !== null && { quota: call.account.quota }),
      ...(since !== null && { deliveriesPausedSince: since })
    }
  }
})
