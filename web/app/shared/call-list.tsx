/** The calls of an access as sentences, by day, latest first. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { explainError, type Message } from '../../explain-error.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { formatClock, formatTime } from '../parts/format-time.js'
import { Skeleton } from '../parts/skeleton.js'
import { ReadProblem } from '../parts/read-problem.js'
import { readCalls, type Call } from '../data/calls.js'
import { getGroupKey, describeCall } from './describe-call.js'

/** Calls per page. */
const pageSize = 200

/** Omitted: the calls of a batch are listed themselves. */
const hiddenMethods = new Set(['callBatch'])

/** Shows a page of calls, and more on demand. Calls after it was opened are not added. */
export function CallList({ accessId }: { readonly accessId: string }) {
  const account = useAccount()
  const [until] = useState(() => Date.now() / 1000 + 60)
  const [calls, setCalls] = useState<readonly Call[]>()
  const [isMore, setMore] = useState(false)
  const [problem, setProblem] = useState<Message>()
  const read = async (): Promise<void> => {
    const skip = calls?.length ?? 0
    try {
      const page = await readCalls(account.client, { accessId, to: until, skip, limit: pageSize })
      setCalls([...(calls ?? []), ...page])
      setMore(page.length === pageSize)
    } catch (error) {
      setProblem(explainError(error).message)
    }
  }
  useEffect(() => void read(), [accessId])
  const tree = useStore(account.tree)
  if (problem !== undefined) return <ReadProblem message={problem} />
  if (!calls) return <Skeleton kind="rows" />
  const days = groupByDay(calls.filter(({ method, status }) => status >= 400 || !hiddenMethods.has(method)))
  if (days.length === 0) return <p class="hint none">{t('shared.noActivity')}</p>
  return (
    <>
      {days.map(({ date, told }) => (
        <section class="day" key={date}>
          <h3>{date}</h3>
          <ul>
            {told.map(({ call, count, since }) => (
              <li key={call.id} class={call.kind}>
                <time class="num">
                  {count > 1 && formatClock(since) !== formatClock(call.time)
                    ? `${formatClock(since)}–${formatClock(call.time)}`
                    : formatClock(call.time)}
                </time>
                <span>
                  {describeCall(call, tree)}
                  {count > 1 && <span class="times num">{t('shared.times', { count })}</span>}
                  {count === 1 && call.eventId !== undefined && call.kind === 'add' && (
                    <>
                      {' '}
                      <AppLink to={{ page: 'events', id: call.eventId }}>{t('shared.viewEvent')}</AppLink>
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {isMore && (
        <button type="button" class="button more" onClick={() => void read()}>
          {t('shared.earlierActivity')}
        </button>
      )}
    </>
  )
}

/** Calls combined in one line. */
interface CallGroup {
  /** The latest call. */
  readonly call: Call
  readonly count: number
  /** Time of the first call. */
  readonly since: number
}

/** Groups calls, latest first, by day; calls of one kind on a day are counted together. */
function groupByDay(
  calls: readonly Call[]
): { readonly date: string; readonly told: readonly CallGroup[] }[] {
  const days: { date: string; told: CallGroup[] }[] = []
  for (const call of calls) {
    const date = formatTime(call.time, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
    if (days.at(-1)?.date !== date) days.push({ date, told: [] })
    const { told } = days.at(-1)!
    const known = told.findIndex(each => getGroupKey(each.call) === getGroupKey(call))
    if (known < 0) told.push({ call, count: 1, since: call.time })
    else told[known] = { ...told[known]!, count: told[known]!.count + 1, since: call.time }
  }
  return days
}
