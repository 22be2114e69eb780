/** The contents of a stream by type: count, first, last and latest value. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { isGlucose, formatContent, getTypeName } from '../data/event-types.js'
import type { Stream } from '../data/model.js'
import { useStore } from '../data/store.js'
import { formatNumber } from '../data/units.js'
import { formatDay, formatDateTime } from '../parts/format-time.js'

/**
 * The contents of a stream and those below by type: count, first, last and latest value. Renders nothing if
 * it is empty.
 */
export function ContentsTable({ stream }: { readonly stream: Stream }) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const ids = new Set(tree?.listSubtreeIds(stream.id))
  const facts = useStore(account.facts)
    .filter(({ streamId }) => ids.has(streamId))
    .toSorted(
      (a, b) => Number(b.streamId === stream.id) - Number(a.streamId === stream.id) || b.last - a.last
    )
  if (facts.length === 0) return null
  const hasBelow = facts.some(({ streamId }) => streamId !== stream.id)
  return (
    <section class="card facts" tabIndex={0} role="region" aria-label={t('streams.contents')}>
      <h2>{t('streams.contents')}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('streams.type')}</th>
            <th scope="col" class="count">
              {t('streams.count')}
            </th>
            <th scope="col">{t('streams.latest')}</th>
            <th scope="col" class="wide">
              {t('streams.first')}
            </th>
            <th scope="col" class="wide">
              {t('streams.last')}
            </th>
          </tr>
        </thead>
        <tbody>
          {facts.slice(0, 60).map(({ first, last, latest, shownCount, streamId, type }) => (
            <tr key={`${streamId} ${type}`}>
              <th scope="row">
                {getTypeName(type)}
                {type.startsWith('series:') && <small>{t('streams.series')}</small>}
                {hasBelow && streamId !== stream.id && (
                  <small>{toPlainText(tree?.find(streamId)?.name ?? streamId)}</small>
                )}
              </th>
              <td class="count num">{formatNumber(shownCount)}</td>
              <td class="num said">
                {latest === undefined || type.startsWith('series:')
                  ? ''
                  : formatContent(type, latest, { isGlucose: isGlucose(tree?.getPath(streamId) ?? []) })}
              </td>
              <td class="wide num">{formatDay(first)}</td>
              <td class="wide num">{formatDateTime(last)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
