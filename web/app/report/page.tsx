/** A printout for the doctor: who, which period, a row for each measure, and charts. Shows nothing to guests. */
import { useEffect, useState } from 'preact/hooks'
import { explainError, type Message } from '../../explain-error.js'
import { getLocale, t } from '../../language.js'
import { Form } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { FormRow } from '../parts/form-row.js'
import { formatDay } from '../parts/format-time.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { Tabs } from '../parts/tabs.js'
import { showToast } from '../parts/toast.js'
import { buildHref, navigate, type PageProps } from '../route.js'
import { DayChart } from './day-chart.js'
import { getPeriod, readReport, type ReportRow } from './read-report.js'
import './style.css'

/** Key in the private profile set: who is named on printouts. */
const personKey = 'coffer:person'

interface Person {
  readonly name: string
  /** `1970-12-31`, or empty. */
  readonly birth: string
}

const lengths = ['30', '90', '365'] as const
type Length = (typeof lengths)[number]

/**
 * Shows the report of the period `days`, rows that can be hidden, and a print button. The person's details are
 * stored in the private profile.
 */
export default function Report({ query }: PageProps) {
  const account = useAccount()
  const { client, username } = account
  const length = lengths.find(each => each === query.get('days')) ?? '90'
  const [period, setPeriod] = useState(() => getPeriod(Number(length), new Date()))
  const [rows, setRows] = useState<readonly ReportRow[]>()
  const [problem, setProblem] = useState<Message>()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [person, setPerson] = useState<Person>()
  useEffect(() => {
    document.title = t('report.title')
    if (!account.isOwner) return
    client.call<{ profile: Readonly<Record<string, unknown>> }>('profile.get', { id: 'private' }).then(
      ({ profile }) => setPerson(parsePerson(profile[personKey])),
      () => setPerson({ name: '', birth: '' })
    )
  }, [account])
  useEffect(() => {
    let isGone = false
    const next = getPeriod(Number(length), new Date())
    setPeriod(next)
    readReport(account, next).then(
      read => {
        if (isGone) return
        setRows(read)
        setProblem(undefined)
      },
      (error: unknown) => {
        if (!isGone) setProblem(explainError(error).message)
      }
    )
    return () => {
      isGone = true
    }
  }, [account, length])
  // A shared link has no profile, and its pages do not link to this one.
  if (!account.isOwner) return null
  const printed = rows?.filter(({ id }) => !hidden.has(id)) ?? []
  const dates = [period.from, period.to].map(day =>
    new Intl.DateTimeFormat(getLocale(), { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(day))
  )
  return (
    <div class="column">
      <header class="head">
        <div>
          <h1>{t('report.title')}</h1>
          <p class="lead">{t('report.lead')}</p>
        </div>
        <button type="button" class="button primary" disabled={printed.length === 0} onClick={() => print()}>
          <Icon name="print" />
          {t('report.print')}
        </button>
      </header>
      <Tabs
        label={t('report.period')}
        choices={lengths}
        chosen={length}
        textOf={(each: Length) => t(`report.days.${each}`)}
        onChoose={(days: Length) => navigate(buildHref(username, { page: 'report', query: { days } }), true)}
      />
      {person && <PersonForm person={person} onSaved={setPerson} />}
      {problem !== undefined && <ReadProblem message={problem} />}
      {!rows && problem === undefined && <Skeleton kind="rows" />}
      {rows && (
        <section class="card sheet">
          <h2>{describePerson(person, username)}</h2>
          <p class="when">
            {dates.join(' – ')} · {t('report.made', { day: formatDay(Date.now() / 1000) })}
          </p>
          {rows.length === 0 && <p>{t('report.none')}</p>}
          {rows.length > 0 && (
            <div class="scroll" role="region" tabIndex={0} aria-label={t('report.title')}>
              <ReportTable rows={rows} hidden={hidden} onHide={setHidden} />
            </div>
          )}
          {printed.some(({ normal }) => normal !== '') && (
            <p class="note">
              {t('report.normalNote')} {describeSources(printed)}
            </p>
          )}
          <div class="charts">
            {printed.map(row => (
              <DayChart key={row.id} row={row} dayCount={period.dayCount} />
            ))}
          </div>
        </section>
      )}
    </div>
  )
}

/** Says where the usual ranges are from: `Breathing rate: National Early Warning Score 2, …`. */
function describeSources(rows: readonly ReportRow[]): string {
  const sources = rows
    .filter(({ normalSource }) => normalSource !== '')
    .map(({ name, normalSource }) => `${name}: ${normalSource}`)
  return t('report.normalSources', { sources: sources.join('. ') })
}

const figures = ['count', 'mean', 'min', 'max', 'latest', 'normal'] as const

interface TableProps {
  readonly rows: readonly ReportRow[]
  readonly hidden: ReadonlySet<string>
  readonly onHide: (hidden: ReadonlySet<string>) => void
}

/** The rows; each has a checkbox on screen, by which it is excluded of the printout. */
function ReportTable({ rows, hidden, onHide }: TableProps) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('report.measure')}</th>
          {figures.map(figure => (
            <th key={figure} scope="col">
              {t(`report.${figure}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.id} class={hidden.has(row.id) ? 'hidden' : ''}>
            <th scope="row">
              <label>
                <input
                  type="checkbox"
                  aria-label={t('report.include', { measure: row.name })}
                  checked={!hidden.has(row.id)}
                  onChange={() => onHide(toggle(hidden, row.id))}
                />
                <span>
                  {row.name} <small>{row.unit}</small>
                </span>
              </label>
            </th>
            {figures.map(figure => (
              <td key={figure} class="num">
                {row[figure]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface PersonProps {
  readonly person: Person
  readonly onSaved: (person: Person) => void
}

/** Asks for what is printed at the top. It is kept in the private profile set. */
function PersonForm({ person, onSaved }: PersonProps) {
  const { client } = useAccount()
  return (
    <div class="person">
      <Form
        isQuiet
        action={t('report.save')}
        onSubmit={async ({ name = '', birth = '' }) => {
          const saved = { name: name.trim().slice(0, 200), birth }
          await client.call('profile.update', { id: 'private', update: { [personKey]: saved } })
          onSaved(saved)
          showToast(t('report.saved'))
        }}
      >
        <FormRow name="name" label={t('report.name')}>
          {controlProps => (
            <input {...controlProps} value={person.name} maxLength={200} autoComplete="name" />
          )}
        </FormRow>
        <FormRow name="birth" label={t('report.birth')}>
          {controlProps => <input {...controlProps} type="date" value={person.birth} autoComplete="bday" />}
        </FormRow>
      </Form>
    </div>
  )
}

function toggle(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const changed = new Set(set)
  if (!changed.delete(id)) changed.add(id)
  return changed
}

/** Parses what the profile contains, which other apps may have written. */
function parsePerson(stored: unknown): Person {
  const { birth, name } = (typeof stored === 'object' && stored !== null ? stored : {}) as Partial<Person>
  return {
    name: typeof name === 'string' ? name.slice(0, 200) : '',
    birth: typeof birth === 'string' && /^\d{4}-\d\d-\d\d$/.test(birth) ? birth : ''
  }
}

function describePerson(person: Person | undefined, username: string): string {
  const name = toPlainText(person?.name ?? '') || username
  const time = Date.parse(person?.birth ?? '')
  if (Number.isNaN(time)) return name
  const birth = new Intl.DateTimeFormat(getLocale(), { dateStyle: 'long', timeZone: 'UTC' }).format(time)
  return t('report.onPaper', { name, birth })
}
