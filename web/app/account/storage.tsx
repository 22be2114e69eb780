/** How much the account stores, and its limit. */
import { useContext } from 'preact/hooks'
import { t } from '../../language.js'
import { PageContext } from '../../page-context.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { formatSize } from '../parts/format-duration.js'
import { ReadProblem } from '../parts/read-problem.js'

interface StorageUsed {
  readonly dbDocuments: number
  readonly attachedFiles: number
}

/** Shows the bytes used once read; the limit only if there is one, the account's own before the service's. */
export function StorageSection() {
  const { client } = useAccount()
  const { facts } = useContext(PageContext)
  const { problem, read } = useReading(() =>
    client.call<{ account: { storageUsed: StorageUsed }; quota?: number }>('account.get')
  )
  const used = read?.account.storageUsed
  const quota = read?.quota ?? facts.quota
  const all = used ? used.dbDocuments + used.attachedFiles : 0
  return (
    <section>
      <h2>{t('own.storage')}</h2>
      {problem !== undefined && <ReadProblem message={problem} />}
      {used && (
        <>
          <p class="num">
            <strong>{formatSize(all)}</strong>
            {quota > 0 && ` ${t('own.ofQuota', { quota: formatSize(quota) })}`}
          </p>
          {quota > 0 && (
            <meter
              min="0"
              max={quota}
              high={quota * 0.9}
              value={Math.min(all, quota)}
              aria-label={t('own.storage')}
            />
          )}
          <p class="hint num">
            {t('own.storageParts', {
              events: formatSize(used.dbDocuments),
              files: formatSize(used.attachedFiles)
            })}
          </p>
        </>
      )}
    </section>
  )
}
