/** How much the account stores, and its limit. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Alert } from '../../parts/form.js'
import { explain, type Message } from '../../problem.js'
import { Surroundings } from '../../surroundings.js'
import { useAccount } from '../data/account.js'
import { sizeInWords } from '../parts/lengths.js'

interface StorageUsed {
  readonly dbDocuments: number
  readonly attachedFiles: number
}

export function Storage() {
  const { client } = useAccount()
  const { facts } = useContext(Surroundings)
  const [used, setUsed] = useState<StorageUsed>()
  const [quota, setQuota] = useState(facts.quota)
  const [problem, setProblem] = useState<Message>()
  useEffect(() => {
    client.call<{ account: { storageUsed: StorageUsed }; quota?: number }>('account.get').then(
      ({ account, quota: own = facts.quota }) => {
        setUsed(account.storageUsed)
        setQuota(own)
      },
      (error: unknown) => setProblem(explain(error).message)
    )
  }, [])
  const all = used ? used.dbDocuments + used.attachedFiles : 0
  return (
    <section>
      <h2>{t('own.storage')}</h2>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {used && (
        <>
          <p class="num">
            <strong>{sizeInWords(all)}</strong>
            {quota > 0 && ` ${t('own.ofQuota', { quota: sizeInWords(quota) })}`}
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
              events: sizeInWords(used.dbDocuments),
              files: sizeInWords(used.attachedFiles)
            })}
          </p>
        </>
      )}
    </section>
  )
}
