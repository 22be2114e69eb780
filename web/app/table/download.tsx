/** Downloads all rows of the table as a file written by the service. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { formatNumber } from '../data/units.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import { saveFile } from '../parts/save-file.js'
import { showFailure, showToast } from '../parts/toast.js'
import { getExportName, type Column } from './columns.js'

interface Props {
  /** Params of `events.get`. */
  readonly params: object
  readonly columns: readonly Column[]
  /** Types of the shown events. */
  readonly types: readonly string[]
}

/** Types that have a FHIR code, at least in some streams. */
const fhirTypes =
  /^(?:series:)?(?:blood-pressure|clinical|count|density|frequency|length|mass|pressure|ratio|sleep|temperature)\//
const positionType = /^(?:series:)?position\/wgs84$/

/**
 * Shows the formats, and while downloading the bytes received and a button that cancels. Leaving the page
 * cancels, too.
 */
export function Download({ params, columns, types }: Props) {
  const { client, username } = useAccount()
  const [bytes, setBytes] = useState<number>()
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const download = async (format: string, more: object, extension: string): Promise<void> => {
    const abort = (running.current = new AbortController())
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const query = Object.entries({ format, zone, ...params, ...more }).map(
      ([name, value]) =>
        `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`
    )
    setBytes(0)
    try {
      const file = await client.download(`events/export?${query.join('&')}`, abort.signal, setBytes)
      saveFile(file, `${username}-${new Date().toISOString().slice(0, 10)}.${extension}`)
      showToast(t('table.done'))
    } catch (error) {
      if (!abort.signal.aborted) showFailure(error)
    } finally {
      setBytes(undefined)
    }
  }
  if (bytes !== undefined)
    return (
      <p class="progress" role="status">
        {t('table.reading', { size: formatNumber(bytes / 1e6, 1) })}{' '}
        <button type="button" class="text" onClick={() => running.current?.abort()}>
          {t('shell.cancel')}
        </button>
      </p>
    )
  const columnParams = { columns: columns.map(getExportName), titles: columns.map(({ title }) => title) }
  const renderItem = (label: string, format: string, more: object, extension: string) => (
    <button type="button" onClick={() => void download(format, more, extension)}>
      {label}
    </button>
  )
  return (
    <Menu
      class="square"
      label={t('table.download')}
      button={
        <>
          <Icon name="export" />
          <span>{t('table.download')}</span>
        </>
      }
    >
      {renderItem(t('table.csv'), 'csv-wide', { ...columnParams, bom: true }, 'csv')}
      {renderItem(t('table.csvLong'), 'csv', { series: true, bom: true }, 'csv')}
      {renderItem(t('table.json'), 'json', {}, 'json')}
      {types.some(type => positionType.test(type)) && renderItem(t('table.gpx'), 'gpx', {}, 'gpx')}
      {types.some(type => fhirTypes.test(type)) &&
        renderItem(t('table.fhir'), 'fhir', { series: true }, 'fhir.json')}
    </Menu>
  )
}
