/** Summary of an import. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { getTypeName } from '../data/event-types.js'
import { getReasonText, sumCounts, formatCount, type Counts, type Import } from './model.js'

/** Shows how many records are imported, already known or skipped. The three add up to the records of the file. */
export function ImportSummary({
  tally,
  isDone,
  look
}: {
  readonly tally: NonNullable<Import['tally']>
  readonly isDone: boolean
  readonly look: Import['look']
}) {
  return (
    <section class="card outcome">
      <h2>{t('import.summary')}</h2>
      <dl>
        <SummaryPart
          title={t(isDone ? 'import.imported' : 'import.toImport')}
          counts={tally.broughtIn}
          toText={getTypeName}
        />
        <SummaryPart title={t('import.alreadyImported')} counts={tally.known} toText={getTypeName} />
        <SummaryPart
          title={t('import.skipped')}
          counts={tally.leftOut}
          rows={look?.leftOutRows}
          kinds={look?.leftOutKinds}
          toText={getReasonText}
        />
      </dl>
    </section>
  )
}

type Look = NonNullable<Import['look']>

interface PartProps {
  readonly title: string
  readonly counts: Counts
  /** The first affected rows, by name. */
  readonly rows?: Look['leftOutRows']
  /** Names in the file of the affected records, by name. */
  readonly kinds?: Look['leftOutKinds']
  readonly toText: (name: string) => string
}

/** Lists the counts of a part of the summary, greatest first; nothing if all are 0. */
function SummaryPart({ title, counts, rows, kinds, toText }: PartProps) {
  if (sumCounts(counts) === 0) return null
  return (
    <div>
      <dt>
        {title} <b class="num">{formatCount(sumCounts(counts))}</b>
      </dt>
      {Object.entries(counts)
        .toSorted(([, a], [, b]) => b - a)
        .map(([name, count]) => (
          <dd key={name}>
            <span>
              {toText(name)}
              {rows?.[name] && (
                <small>
                  {' '}
                  ({t('import.rows', { count: rows[name].length, rows: rows[name].join(', ') })})
                </small>
              )}
              <Kinds kinds={kinds?.[name]} />
            </span>{' '}
            <span class="num">{formatCount(count)}</span>
          </dd>
        ))}
    </div>
  )
}

/** Maximum number of kinds shown beside a reason; others are collapsed. */
const maxKinds = 4

/** Names in the file of the skipped records. Rows of a table have none. */
function Kinds({ kinds = {} }: { readonly kinds: Counts | undefined }) {
  const names = Object.entries(kinds)
    .filter(([name]) => name !== 'row')
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${toPlainText(name)} (${formatCount(count)})`)
  if (names.length === 0) return null
  const [first, more] = [names.slice(0, maxKinds), names.slice(maxKinds)]
  return (
    <>
      <small>{first.join(', ')}</small>
      {more.length > 0 && (
        <details>
          <summary>{t('import.moreKinds', { count: more.length })}</summary>
          <small>{more.join(', ')}</small>
        </details>
      )}
    </>
  )
}
