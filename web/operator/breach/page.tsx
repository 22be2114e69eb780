/** What an access has read, for the assessment of a data breach. */
import { useState } from 'preact/hooks'
import { Refusal } from '../../api.js'
import { saveFile } from '../../app/parts/save-file.js'
import { formatDateTime } from '../../app/parts/format-time.js'
import { t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Alert, Form } from '../../parts/form.js'
import { ColumnHeaders } from '../column-headers.js'
import { getUserPath, useOperatorClient } from '../operator-client.js'

interface Use {
  readonly calls: number
  readonly first: number
  readonly last: number
}

interface Stream extends Use {
  readonly id: string
  readonly name: string | null
  readonly recordCount: number
  readonly fromTime: number | null
  readonly toTime: number | null
}

/** The response of `system.getBreachScope`. */
interface Found {
  readonly access: { readonly id: string; readonly name: string; readonly deleted?: number }
  readonly owner: { readonly username: string }
  readonly breachScope: {
    readonly calls: number
    readonly refused: number
    readonly recordCount: number
    readonly isIncomplete: boolean
    readonly recordedSince: number | null
    readonly streams: readonly Stream[]
    readonly addresses: readonly (Use & { readonly ip: string })[]
  }
  readonly csv: string
}

/** Maximum numbers of streams and of addresses shown; the files contain all of them. */
const maxShown = 100

/** Shows what an access has read in a time, which can be limited. */
export function BreachPage() {
  const client = useOperatorClient()
  const [found, setFound] = useState<Found>()
  return (
    <section aria-labelledby="breach">
      <h2 id="breach">{t('operator.breach')}</h2>
      <p>{t('breach.lead')}</p>
      <Form
        action={t('breach.show')}
        isQuiet
        onSubmit={async ({ access = '', since = '', until = '' }) => {
          setFound(undefined)
          const id = encodeURIComponent(access.trim())
          const { owner } = await client.call<Pick<Found, 'owner'>>('GET', `accesses/${id}`)
          const query = new URLSearchParams({
            format: 'csv',
            ...(since !== '' && { since: String(toTime(since, 0)) }),
            ...(until !== '' && { until: String(toTime(until, 1) - 0.001) })
          })
          const path = getUserPath(owner.username, `/accesses/${id}/breach-scope?${query}`)
          setFound(await client.call<Found>('GET', path))
        }}
      >
        <Field
          name="access"
          label={t('breach.access')}
          hint={t('breach.accessHint')}
          input={{ maxLength: 200, autocomplete: 'off' }}
        />
        <Field name="since" label={t('breach.since')} input={{ type: 'date', required: false }} />
        <Field name="until" label={t('breach.until')} input={{ type: 'date', required: false }} />
      </Form>
      {found && <Scope found={found} />}
    </section>
  )
}

/** Returns the start of a day in the time zone of the browser, or of a day after it, in seconds. */
function toTime(date: string, daysLater: number): number {
  const [year = NaN, month = NaN, day = NaN] = date.split('-').map(Number)
  const ms = new Date(year, month - 1, day + daysLater).getTime()
  if (Number.isNaN(ms)) throw new Refusal('no-date', t('breach.noDate'))
  return ms / 1000
}

/** Shows what was found, and saves it as CSV or JSON. Long lists are cut; the files are complete. */
function Scope({ found }: { readonly found: Found }) {
  const { access, breachScope, csv, owner } = found
  const { addresses, calls, isIncomplete, recordCount, recordedSince, refused, streams } = breachScope
  const name = `breach-scope-${access.id}`
  const { csv: _table, ...report } = found
  return (
    <>
      <h3>{t('breach.of', { name: access.name, username: owner.username })}</h3>
      {access.deleted !== undefined && <p>{t('breach.revoked', { time: formatDateTime(access.deleted) })}</p>}
      <p>{t('breach.counts', { calls, refused, items: recordCount })}</p>
      {recordedSince !== null && (
        <p class="hint">{t('breach.recorded', { time: formatDateTime(recordedSince) })}</p>
      )}
      {isIncomplete && <Alert>{t('breach.incomplete')}</Alert>}
      <div class="deeds">
        <button
          type="button"
          class="button"
          onClick={() => saveFile(new Blob([csv], { type: 'text/csv' }), `${name}.csv`)}
        >
          {t('breach.saveCsv')}
        </button>
        <button
          type="button"
          class="button"
          onClick={() =>
            saveFile(
              new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' }),
              `${name}.json`
            )
          }
        >
          {t('breach.saveJson')}
        </button>
      </div>
      {streams.length === 0 && <p>{t('breach.nothing')}</p>}
      {streams.length > 0 && <ColumnHeaders of={[t('breach.stream'), t('breach.items'), t('breach.data')]} />}
      <ul class="rows">
        {streams.slice(0, maxShown).map(stream => (
          <li key={stream.id}>
            <span>
              <strong>{stream.id === '*' ? t('breach.allStreams') : (stream.name ?? stream.id)}</strong>
            </span>
            <span class="num">
              {t('breach.itemCount', { items: stream.recordCount, calls: stream.calls })}
            </span>
            <span class="num soft">{formatRange(stream)}</span>
          </li>
        ))}
      </ul>
      {addresses.length > 0 && (
        <ColumnHeaders of={[t('breach.address'), t('breach.calls'), t('breach.period')]} />
      )}
      <ul class="rows">
        {addresses.slice(0, maxShown).map(({ calls: times, first, ip, last }) => (
          <li key={ip}>
            <span>{ip}</span>
            <span class="num">{times}</span>
            <span class="num soft">
              {formatDateTime(first)} – {formatDateTime(last)}
            </span>
          </li>
        ))}
      </ul>
      {Math.max(streams.length, addresses.length) > maxShown && (
        <p>{t('breach.more', { shown: maxShown })}</p>
      )}
    </>
  )
}

function formatRange({ fromTime, toTime: end }: Stream): string {
  if (fromTime === null && end === null) return t('breach.anyTime')
  return `${fromTime === null ? '…' : formatDateTime(fromTime)} – ${end === null ? '…' : formatDateTime(end)}`
}
