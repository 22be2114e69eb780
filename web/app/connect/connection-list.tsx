/** The connections: when each was last heard from, and what it has brought today. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { getDayAt } from '../lanes/calendar.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { useArrived } from './arrived.js'
import { ArrivedName, ConnectionState } from './arrivals.js'
import type { Connection, Dialect } from './connections.js'

interface Props {
  readonly connections: readonly Connection[]
  readonly dialects: readonly Dialect[]
  /** Time of the service, in seconds. */
  readonly now: number
}

/** Lists the connections with links to their pages. */
export function ConnectionList({ connections, dialects, now }: Props) {
  return (
    <section class="card connections" aria-labelledby="connections">
      <h2 id="connections">{t('connect.yours')}</h2>
      <ul>
        {connections.map(connection => (
          <li key={connection.id}>
            <AppLink to={{ page: 'connect', id: connection.id }}>
              <span>
                <b>{toPlainText(connection.name)}</b>
                <small>
                  {getDialectName(dialects, connection)},{' '}
                  {t('connect.received', { count: connection.received })}
                </small>
                <Today connection={connection} all={connections} now={now} />
              </span>
              <ConnectionState connection={connection} now={now} />
              <Icon name="right" />
            </AppLink>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Returns the name of the app of a connection. */
export function getDialectName(dialects: readonly Dialect[], { dialect }: Connection): string {
  return dialect === 'json'
    ? t('connect.json.name')
    : (dialects.find(({ id }) => id === dialect)?.name ?? dialect)
}

interface TodayProps {
  readonly connection: Connection
  readonly all: readonly Connection[]
  readonly now: number
}

/** Names what a connection has brought today. */
function Today({ connection, all, now }: TodayProps) {
  const account = useAccount()
  const periods = useStore(account.zones)
  const { from } = getDayAt(now, {
    periods,
    fallback: Intl.DateTimeFormat().resolvedOptions().timeZone
  })
  const arrived = useArrived(account, connection, all).filter(
    ({ values }) => values !== undefined && values.last >= from
  )
  if (arrived.length === 0) return null
  return (
    <span class="kinds">
      <span>{t('connect.today')}</span>
      {arrived.slice(0, maxKinds).map(each => (
        <ArrivedName key={`${each.streamId} ${each.type}`} arrived={each} />
      ))}
      {arrived.length > maxKinds && <span>+{arrived.length - maxKinds}</span>}
    </span>
  )
}

const maxKinds = 6
