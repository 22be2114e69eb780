/** Names of accesses that have created or changed something. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import type { Access } from '../data/model.js'

/**
 * Returns the name of an access by its id, which may be followed by the id of a caller; `You` for the user's
 * own sessions. Unknown accesses get a general name.
 */
export function getAccessName(id: string, accesses: readonly Access[], ownId: string): string {
  const [accessId, ...caller] = id.split(' ')
  const access = accesses.find(each => each.id === accessId)
  const suffix = caller.length > 0 ? ` (${toPlainText(caller.join(' '))})` : ''
  if (accessId === ownId || access?.type === 'personal') return `${t('data.you')}${suffix}`
  if (!access) return `${t('data.someone')}${suffix}`
  const device = access.deviceName ? `, ${toPlainText(access.deviceName)}` : ''
  return `${toPlainText(access.name)}${device}${suffix}`
}

/** Returns the name that the user has given someone by naming their access, or their username. */
export function getPersonName(accessName: string, { username }: { readonly username: string }): string {
  return accessName === '' || /^cmc(?::|-back-channel-)/.test(accessName) ? username : accessName
}
