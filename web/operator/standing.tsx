/** The state of an account, as badges and text. */
import { sizeInWords } from '../app/parts/lengths.js'
import { t } from '../language.js'
import type { Person } from './model.js'

/** Shows whether the user is an operator, and the state of the account unless active. */
export function Badges({ person }: { readonly person: Person }) {
  return (
    <>
      {person.isOperator && <span class="badge">{t('operator.isOperator')}</span>}
      {person.state !== 'active' && <span class="badge">{t(`operator.${person.state}`)}</span>}
    </>
  )
}

/** Describes the storage used by an account, and its limit. */
export function usedOf({ attachments, documents, quota }: Person): string {
  if (documents === null || attachments === null) return t('operator.unread')
  const used = sizeInWords(documents + attachments)
  return quota === 0 ? used : t('operator.ofQuota', { used, quota: sizeInWords(quota) })
}
