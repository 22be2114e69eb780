/**
 * Waits for the first value of a connection, then shows what arrives; the state of a connection, and the names of
 * what it sends.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { isKey, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { AppLink } from '../parts/app-link.js'
import { formatAgo, formatDateTime } from '../parts/format-time.js'
import { showToast } from '../parts/toast.js'
import { getAppText } from './app-catalogue.js'
import { type Arrived, useArrived } from './arrived.js'
import { getState, type Connection } from './connections.js'
import { GuideLink } from './guide-link.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { getStreamColour } from '../data/stream-colours.js'
import { MeasureIcon } from '../parts/measure-icon.js'

interface Props {
  readonly connection: Connection
  readonly all: readonly Connection[]
  /** Time of the service, in seconds. */
  readonly now: number
}

/** Returns what went wrong in the user's language, with the message for the app where that says more. */
function describeProblem({ id, message }: NonNullable<Connection['lastProblem']>): string {
  const key = `connect.problem.${id ?? ''}`
  return isKey(key) ? t(key, { message: toPlainText(message) }) : toPlainText(message)
}

/** Seconds after which the page says what to check. */
const patience = 120
const maxNotUnderstood = 20

/**
 * Shows the state, the last problem, what arrived, and up to 20 kinds that were not understood. Shows a toast
 * when the first value arrives.
 */
export function Arrivals({ connection, all, now }: Props) {
  const { lastProblem, notUnderstood, received } = connection
  const arrived = useArrived(useAccount(), connection, all)
  const state = getState(connection, now)
  // On phones, the steps may be all that is visible.
  const wasWaiting = useRef(state === 'waiting')
  useEffect(() => {
    if (wasWaiting.current && state === 'fine') showToast(t('connect.first'))
    wasWaiting.current = state === 'waiting'
  }, [state])
  const isLate = state === 'waiting' && now - connection.created > patience
  const kinds = Object.entries(notUnderstood).toSorted(([, a], [, b]) => b - a)
  return (
    <section class="card panel arrivals" aria-labelledby="arrivals">
      <h2 id="arrivals">{t('connect.arrives')}</h2>
      <p role="status" class={state === 'waiting' && !isLate ? 'waits' : undefined}>
        <ConnectionState connection={connection} now={now} />
        {received > 0 && <span class="total">{t('connect.received', { count: received })}</span>}
      </p>
      {lastProblem && (
        <p class={state === 'failing' ? 'notice bad' : 'notice'}>
          {t('connect.problem', {
            time: formatDateTime(lastProblem.time),
            message: describeProblem(lastProblem)
          })}
        </p>
      )}
      {(isLate || state === 'silent' || state === 'failing') && (
        <div class="check">
          <h3>{t('connect.check')}</h3>
          <ul>
            <li>
              {getAppText(connection.dialect, 'check')} <GuideLink dialect={connection.dialect} />
            </li>
            <li>{t('connect.checkBattery')}</li>
            <li>{t('connect.checkAddress', { url: connection.url })}</li>
            {received === 0 && <li>{t('connect.checkToken')}</li>}
          </ul>
        </div>
      )}
      {arrived.length > 0 && (
        <ul class="arrived">
          {arrived.map(each => (
            <li key={`${each.streamId} ${each.type}`}>
              <AppLink to={{ page: 'streams', id: each.streamId }}>
                <ArrivedName arrived={each} />
              </AppLink>
              {each.values && (
                <>
                  <span class="num">{t('connect.values', { count: each.values.count })}</span>
                  <span class="num when">
                    {t('connect.until', { time: formatDateTime(each.values.last) })}
                  </span>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {kinds.length > 0 && (
        <details>
          <summary>
            {t('connect.notUnderstood', { count: kinds.reduce((sum, [, count]) => sum + count, 0) })}
          </summary>
          <p class="hint">{t('connect.notUnderstoodHint')}</p>
          <ul class="unknown">
            {kinds.slice(0, maxNotUnderstood).map(([kind, count]) => (
              <li key={kind}>
                <code>{toPlainText(kind)}</code> <span class="num">{t('connect.times', { count })}</span>
              </li>
            ))}
            {kinds.length > maxNotUnderstood && (
              <li>{t('connect.moreKinds', { count: kinds.length - maxNotUnderstood })}</li>
            )}
          </ul>
        </details>
      )}
    </section>
  )
}

/** Shows the icon and name; the name of the stream while the measure is unknown or unread. */
export function ArrivedName({ arrived: { measure: id, streamId } }: { readonly arrived: Arrived }) {
  const { measures, tree: store } = useAccount()
  const tree = useStore(store)
  const [measure, setMeasure] = useState<AnyMeasure | undefined>(id === undefined ? id : measures.find(id))
  useEffect(() => {
    let isGone = false
    if (id !== undefined)
      measures.read([id]).then(
        ([read]) => {
          if (!isGone) setMeasure(read)
        },
        // The name of the stream is shown instead.
        () => undefined
      )
    return () => {
      isGone = true
    }
  }, [measures, id])
  const stream = tree?.find(streamId)
  // Below a kind of data stands one stream for each source.
  const kind = tree?.getPath(streamId).at(-2) ?? stream
  return (
    <span class="kind">
      {measure ? (
        <MeasureIcon icon={measure.icon} hue={measure.hue} />
      ) : (
        <i class="dot" style={{ '--c': stream && getStreamColour(stream) }} />
      )}
      {measure ? getMeasureName(measure) : toPlainText(kind?.name ?? '')}
    </span>
  )
}

/** Shows the state at `now` as text in its colour. */
export function ConnectionState({
  connection,
  now
}: {
  readonly connection: Connection
  readonly now: number
}) {
  const state = getState(connection, now)
  return <span class={`state ${state}`}>{describeState(connection, now)}</span>
}

function describeState(connection: Connection, now: number): string {
  const { lastHeard } = connection
  if (lastHeard === null) return t('connect.state.waiting')
  const ago = formatAgo(lastHeard, now)
  const state = getState(connection, now)
  return t(`connect.state.${state === 'waiting' ? 'empty' : state}`, { ago })
}
