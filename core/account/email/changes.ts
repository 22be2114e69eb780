/** What follows when another address comes into force, and when one is confirmed. */
import type { Access } from '../../../schemas/access.js'
import type { Config } from '../../settings/config.js'
import type { Call } from '../../call/method.js'
import type { AccountField } from '../fields.js'
import { confirmedAddress, isSameAddress, veiled } from './address.js'
import { sendConfirmation, sendNotices } from './messages.js'
import { addNotice } from './notices.js'

/**
 * Notes that a value of a field comes into force: the person's own counts at once, that of an app once it is confirmed.
 * Only within the write that puts it in force, and before it does.
 */
export function comesIntoForce(call: Call, { name }: AccountField, value: unknown): void {
  if (name !== 'email' || typeof value !== 'string') return
  const { account, caller, core, store } = call
  // What was mailed to confirm another one is void.
  store.signIn.removeAll('email')
  if (confirmedAddress(store) === value) return
  if (caller.isPersonal) return confirmAddress(call, value)
  tellFormer(call, value, nameOf(core.config, caller.access))
  sendConfirmation(core, account.username)
}

/** Makes an address the one that counts. Links that were mailed to the one before are void. Only within a write. */
export function confirmAddress(call: Call, address: string): void {
  const { store } = call
  tellFormer(call, address)
  const former = confirmedAddress(store)
  store.confirmed.set('email', address)
  store.signIn.removeAll('reset')
  store.signIn.removeAll('email')
  // Others may have it, unless it is one of the account's values still.
  if (former !== undefined) store.unique.release('email', former)
}

function tellFormer({ account, core, now, store }: Call, address: string, by?: string): void {
  const former = confirmedAddress(store)
  if (former === undefined || isSameAddress(former, address)) return
  const notice = { to: former, address: veiled(address), ...(by !== undefined && { by }) }
  addNotice(store, notice, now)
  sendNotices(core, account.username)
}

/** What people know an app by: the operator's name for it, or its own, of which nothing makes a link in a mail. */
function nameOf({ access: { apps } }: Config, access: Access | undefined): string {
  const name = access?.name ?? ''
  const known = access?.type === 'app' ? apps.find(({ id }) => id === name)?.displayName : undefined
  return (
    known ??
    (name
      .replaceAll(/[^\p{L}\p{M}\p{N} _-]+/gu, ' ')
      .trim()
      .slice(0, 60) ||
      '?')
  )
}
