/** The page of connections: lists them, connects another one, or shows one. */
import './style.css'
import { useEffect } from 'preact/hooks'
import { t } from '../../language.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import type { PageProps } from '../route.js'
import { AppChoice } from './app-choice.js'
import { ConnectForm } from './connect-form.js'
import { ConnectionList } from './connection-list.js'
import { ConnectionView } from './connection-view.js'
import { useConnections } from './connections.js'

/** Shows the overview, one connection (`id`), or the form for an app (`app`); an unknown id says so. */
export default function ConnectPage({ id, query }: PageProps) {
  const { read, problem, reread } = useConnections()
  useEffect(() => {
    document.title = t('shell.connect')
  }, [])
  if (!read) return problem === undefined ? <Skeleton kind="page" /> : <ReadProblem message={problem} />
  const { connections, dialects, now } = read
  if (id !== undefined) {
    const connection = connections.find(each => each.id === id)
    if (!connection)
      return (
        <div class="empty">
          <h1>{t('connect.unknown')}</h1>
          <p>{t('connect.unknownLead')}</p>
          <BackLink />
        </div>
      )
    return (
      <div class="column">
        <BackLink />
        <ConnectionView
          connection={connection}
          all={connections}
          dialects={dialects}
          now={now}
          onChanged={() => void reread()}
        />
      </div>
    )
  }
  const dialect = dialects.find(each => each.id === query.get('app'))
  if (dialect)
    return (
      <div class="column">
        <BackLink />
        <ConnectForm dialect={dialect} device={query.get('device')} taken={connections} />
      </div>
    )
  return (
    <div class="column">
      <h1>{t('connect.title')}</h1>
      <p class="lead">{t('connect.lead')}</p>
      {connections.length > 0 && <ConnectionList connections={connections} dialects={dialects} now={now} />}
      <AppChoice dialects={dialects} chosen={query.get('device')} />
    </div>
  )
}

function BackLink() {
  return (
    <AppLink to={{ page: 'connect' }} class="crumb">
      <Icon name="left" />
      {t('shell.connect')}
    </AppLink>
  )
}
