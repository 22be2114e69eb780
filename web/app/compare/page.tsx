/** Compares two measures day by day: whether they rise and fall together, and how many days apart. */
import './style.css'
import { useEffect, useState } from 'preact/hooks'
import { explainError, type Message } from '../../explain-error.js'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { buildHref, navigate, type PageProps } from '../route.js'
import { ranges, readComparison, type Comparison, type Lag, type RangeName } from './comparison.js'
import { BeforeAndAfter } from './around.js'
import { Finding, LagChoice } from './finding.js'
import { Scatter } from './scatter.js'

/**
 * Shows the choice of two measures, kept in the URL, and their comparison; says so if there are fewer than two.
 * Categories cannot be chosen.
 */
export default function ComparePage({ query }: PageProps) {
  const account = useAccount()
  const facts = useStore(account.measureFacts)
  const [measures, setMeasures] = useState<readonly AnyMeasure[]>()
  const [read, setRead] = useState<Comparison>()
  const [problem, setProblem] = useState<Message>()
  const [lag, setLag] = useState(0)
  useEffect(() => {
    document.title = t('shell.compare')
    account.measures.read(facts.map(({ measure }) => measure)).then(
      found => setMeasures(found.filter(({ kind }) => kind !== 'category')),
      (error: unknown) => setProblem(explainError(error).message)
    )
  }, [facts])
  const find = (name: string, fallback: number): AnyMeasure | undefined =>
    measures?.find(({ id }) => id === query.get(name)) ?? measures?.[fallback]
  const [first, second] = [find('a', 0), find('b', 1)]
  const range = ranges.find(each => each === query.get('range')) ?? 'year'
  useEffect(() => {
    setRead(undefined)
    if (!first || !second) return undefined
    let isGone = false
    readComparison(account, [first, second], range).then(
      found => {
        if (isGone) return
        setRead(found)
        setProblem(undefined)
      },
      (error: unknown) => {
        if (!isGone) setProblem(explainError(error).message)
      }
    )
    return () => {
      isGone = true
    }
  }, [first?.id, second?.id, range])
  if (problem !== undefined && !read) return <ReadProblem message={problem} />
  if (!measures) return <Skeleton kind="page" />
  if (!first || !second)
    return (
      <div class="empty">
        <h1>{t('shell.compare')}</h1>
        <p>{t('compare.needsTwo')}</p>
      </div>
    )
  const show = (change: Readonly<Record<string, string>>): void =>
    navigate(
      buildHref(account.username, {
        page: 'compare',
        query: { a: first.id, b: second.id, range, ...change }
      }),
      true
    )
  const chosen = read?.lags.find((each: Lag) => each.lag === lag)
  return (
    <div class="column">
      <h1>{t('shell.compare')}</h1>
      <p class="lead">{t('compare.lead')}</p>
      <div class="choices">
        <MeasureSelect
          label={t('compare.first')}
          measures={measures}
          value={first.id}
          onChange={a => show({ a })}
        />
        <MeasureSelect
          label={t('compare.second')}
          measures={measures}
          value={second.id}
          onChange={b => show({ b })}
        />
        <label>
          <span>{t('compare.range')}</span>
          <select value={range} onChange={event => show({ range: event.currentTarget.value })}>
            {ranges.map((name: RangeName) => (
              <option key={name} value={name}>
                {t(`compare.range.${name}`)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {!read || !chosen ? (
        <Skeleton kind="page" />
      ) : (
        <>
          <Finding lag={chosen} measures={[first, second]} />
          <div class="columns">
            <Scatter pairs={read.pair(lag)} measures={[first, second]} />
            <LagChoice lags={read.lags} value={lag} onChange={setLag} measures={[first, second]} />
          </div>
        </>
      )}
      <BeforeAndAfter measure={first} />
    </div>
  )
}

interface SelectProps {
  readonly label: string
  readonly measures: readonly AnyMeasure[]
  readonly value: string
  readonly onChange: (id: string) => void
}

/** Shows the choice of a measure. */
function MeasureSelect({ label, measures, value, onChange }: SelectProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={event => onChange(event.currentTarget.value)}>
        {measures.map(measure => (
          <option key={measure.id} value={measure.id}>
            {getMeasureName(measure)}
          </option>
        ))}
      </select>
    </label>
  )
}
