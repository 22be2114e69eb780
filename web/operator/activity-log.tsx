/** The activity log of operators. */
import { useState } from 'preact/hooks'
import { formatSize } from '../app/parts/format-duration.js'
import { formatDateTime } from '../app/parts/format-time.js'
import { isKey, t } from '../language.js'
import { Alert } from '../parts/form.js'
import { useResource } from './operator-client.js'
import { ColumnHeaders } from './column-headers.js'
import type { OperatorAction } from './model.js'

const pageSize = 50

/** Shows what operators have done, latest first, in pages. */
export function ActivityLog() {
  const [before, setBefore] = useState<readonly number[]>([])
  const last = before.at(-1)
  const { problem, value } = useResource<{ deeds: readonly OperatorAction[] }>(
    `deeds?limit=${pageSize}${last === undefined ? '' : `&before=${last}`}`
  )
  const deeds = value?.deeds ?? []
  const hasMore = deeds.length === pageSize
  return (
    <section aria-labelledby="deeds">
      <h2 id="deeds">{t('operator.deeds')}</h2>
      <p class="hint">{t('operator.deedsLead')}</p>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {value && deeds.length === 0 && <p>{t('operator.noDeeds')}</p>}
      {deeds.length > 0 && (
        <ColumnHeaders of={[t('operator.action'), t('operator.by'), t('operator.time')]} />
      )}
      <ul class="rows">
        {deeds.map(action => (
          <li key={action.number}>
            <span>
              {getActionName(action)} <strong>{action.username ?? action.target ?? ''}</strong>{' '}
              {getDetail(action)}
              {action.error !== null && (
                <span class="badge bad">{t('operator.refused', { error: action.error })}</span>
              )}
            </span>
            <span class="soft">
              {action.isByKey ? t('operator.byKey') : (action.operator ?? t('operator.gone'))}, {action.ip}
            </span>
            <span class="num soft">{formatDateTime(action.time)}</span>
          </li>
        ))}
      </ul>
      {(before.length > 0 || hasMore) && (
        <nav class="pages" aria-label={t('operator.pages')}>
          <button
            type="button"
            class="button"
            aria-disabled={before.length === 0}
            onClick={() => setBefore(before.slice(0, -1))}
          >
            {t('operator.former')}
          </button>
          <button
            type="button"
            class="button"
            aria-disabled={!hasMore}
            onClick={() => hasMore && setBefore([...before, deeds.at(-1)!.number])}
          >
            {t('operator.next')}
          </button>
        </nav>
      )}
    </section>
  )
}

function getActionName({ method }: OperatorAction): string {
  const key = `operator.did.${method}`
  return isKey(key) ? t(key) : method
}

function getDetail({ detail: { access, bytes, client, count, kid, settings, url } }: OperatorAction): string {
  if (typeof bytes === 'number') return bytes === 0 ? t('operator.noLimit') : formatSize(bytes)
  if (Array.isArray(settings)) return settings.join(', ')
  if (typeof count === 'number') return `(${count})`
  if (typeof client === 'string') return typeof kid === 'string' ? `${client}, ${kid}` : client
  if (typeof access === 'string') return access
  return typeof url === 'string' ? url : ''
}
