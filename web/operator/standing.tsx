/** How an account stands, in words. */
import { sizeInWords } from '../app/parts/lengths.js'
import { t } from '../language.js'
import type { Person } from './model.js'

/** Whether it is an operator's, and what keeps people from using it. */
export function Badges({ person }: { readonly person: Person }) {
  return (
    <>
      {person.isOperator && <span class="badge">{t('operator.isOperator')}</span>}
      {person.state !== 'active' && <span class="badge">{t(`operator.${person.state}`)}</span>}
    </>
  )
}

/** What an account stores, of what it may. */
export function usedOf({ attachments, documents, quota }: Person): string {
  if (documents === null || attachments === null) return t('operator.unread')
  const used = sizeInWords(documents + attachments)
  return quota === 0 ? used : t('operator.ofQuota', { used, quota: sizeInWords(quota) })
}
