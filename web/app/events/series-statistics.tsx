/** Statistics of a series: number of points, and min, average and max of each column. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import type { Event, SeriesPoints } from '../data/model.js'
import { toPointType, formatQuantity, getUnit, formatNumber } from '../data/units.js'
import { AppLink } from '../parts/app-link.js'

/** Reads a summary of the whole series. Says that it is loading until then, also if it cannot be read. */
export function SeriesStatistics({ event }: { readonly event: Event }) {
  const { client, tree } = useAccount()
  const [summary, setSummary] = useState<SeriesPoints>()
  const { duration, id, streamIds, type } = event
  useEffect(() => {
    const abort = new AbortController()
    const params = { id, sample: 1, summary: true, toDeltaTime: (duration ?? 0) + 1 }
    client.callAlone<SeriesPoints>('hfs.get', params, abort.signal).then(
      read => setSummary(read),
      () => undefined
    )
    return () => abort.abort()
  }, [client, id, duration])
  const row = summary?.points[0]
  const getValue = (name: string): number | undefined => row?.[summary!.fields.indexOf(name)] ?? undefined
  const count = getValue('count') ?? 0
  const columns = (summary?.fields ?? [])
    .filter(name => name.endsWith('.mean'))
    .map(name => name.slice(0, -5))
  const format = (value: number | undefined): string => {
    if (value === undefined) return '–'
    if (getUnit(type) === undefined) return formatNumber(value, 2)
    const shown = formatQuantity(type, Number(value.toPrecision(6)))
    return `${shown.value} ${shown.unit}`
  }
  return (
    <div class="series">
      <p>{summary === undefined ? t('loading') : t('shell.pointCount', { count })}</p>
      {columns.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('events.number')}</th>
              {(['min', 'average', 'max'] as const).map(each => (
                <th key={each} scope="col">
                  {t(`shell.${each}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map(name => (
              <tr key={name}>
                <th scope="row">{name === 'value' ? t('events.value') : toPlainText(name)}</th>
                {['min', 'mean', 'max'].map(each => (
                  <td key={each} class="num">
                    {format(getValue(`${name}.${each}`))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="hint">
        {t('events.seriesOf', { type: toPointType(type) })}{' '}
        <AppLink to={{ page: 'streams', id: streamIds[0]! }}>
          {toPlainText(tree.value?.find(streamIds[0]!)?.name ?? '')}
        </AppLink>
      </p>
    </div>
  )
}
