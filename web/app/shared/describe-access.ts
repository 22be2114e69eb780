/** Formats facts about an access. */
import { getLocale, t } from '../../language.js'
import { getEnd, hasEnded } from '../data/access-facts.js'
import type { Access } from '../data/model.js'
import { formatDay, formatDateTime } from '../parts/format-time.js'
import { getLevelKey, type Grant } from './accesses.js'

/** Later expiry dates are not shown: ten thousand years, in seconds. */
const maxShownExpiry = 10_000 * 365 * 86_400

/** Describes an access in a line: `Sees, until 3 March 2027, opened 3 times`. */
export function describeAccess(access: Access, grants: readonly Grant[]): string {
  const levels = grants.map(({ level }) => level)
  const words = [t(getLevelKey(levels)), hasEnded(access) ? describeEnd(access) : describeExpiry(access)]
  if (!hasEnded(access)) words.push(describeUse(access))
  return words.filter(word => word !== '').join(', ')
}

/**
 * Describes when an access expires: on a day, or in days or hours if that is soon; far ends count as none.
 */
export function describeExpiry(access: Access): string {
  const end = getEnd(access)
  const left = end - Date.now() / 1000
  if (left > maxShownExpiry) return t('shared.noExpiryInLine')
  if (left > 14 * 86_400) return t('shell.until', { date: formatDay(end) })
  const [value, unit] = left > 2 * 86_400 ? [left / 86_400, 'day' as const] : [left / 3600, 'hour' as const]
  const length = new Intl.NumberFormat(getLocale(), { style: 'unit', unit, unitDisplay: 'long' })
  return t('shared.timeLeft', { duration: length.format(Math.ceil(value)) })
}

/** Returns the day on which an access ends or has ended. Far ends count as none. */
export function formatEndDay(access: Access): string {
  const end = getEnd(access)
  return end - Date.now() / 1000 > maxShownExpiry ? t('shared.noExpiry') : formatDay(end)
}

/** Says on which day an access that has ended was revoked or expired. */
export function describeEnd(access: Access): string {
  return t(access.deleted === undefined ? 'shared.expired' : 'shared.revokedOn', {
    date: formatDay(getEnd(access))
  })
}

function describeUse({ type, calls, lastUsed }: Access): string {
  const opened = calls?.['getAccessInfo'] ?? 0
  if (type === 'shared' && opened > 0) return t('shared.opened', { count: opened })
  return lastUsed === undefined
    ? t('shared.neverUsed')
    : t('shared.lastUsed', { date: formatDateTime(lastUsed) })
}
