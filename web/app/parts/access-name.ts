/** Names of accesses that have created or changed something. */
import { t } from '../../language.js'
import { plain } from '../../plain.js'
import type { Access } from '../data/model.js'

/** Returns the name of an access by its id, which may be followed by the id of a caller; `You` for the user's own sessions. */
export function nameOfAccess(id: string, accesses: readonly Access[], ownId: string): string {
  const [accessId, ...caller] = id.split(' ')
  const access = accesses.find(each => each.id === accessId)
  const suffix = caller.length > 0 ? ` (${plain(caller.join(' '))})` : ''
  if (accessId === ownId || access?.type === 'personal') return `${t('data.you')}${suffix}`
  if (!access) return `${t('data.someone')}${suffix}`
  const device = access.deviceName ? `, ${plain(access.deviceName)}` : ''
  return `${plain(access.name)}${device}${suffix}`
}
