/** The state of an account, as badges and text. */
import { formatSize } from '../app/parts/format-duration.js'
import { t } from '../language.js'
import type { UserInfo } from './model.js'

/** Shows whether the user is an operator, and the state of the account unless active. */
export function UserBadges({ person }: { readonly person: UserInfo }) {
  return (
    <>
      {person.isOperator && <span class="badge">{t('operator.isOperator')}</span>}
      {person.state !== 'active' && <span class="badge">{t(`operator.${person.state}`)}</span>}
    </>
  )
}

/**
 * Describes the storage used by an account, and its limit. If the account's file could not be read, says so.
 */
export function describeStorage({ attachments, documents, quota }: UserInfo): string {
  if (documents === null || attachments === null) return t('operator.unread')
  const used = formatSize(documents + attachments)
  return quota === 0 ? used : t('operator.ofQuota', { used, quota: formatSize(quota) })
}
