/** The state of a connection in words and colour. */
import { t } from '../../language.js'
import { formatAgo } from '../parts/format-time.js'
import { getState, type Connection } from './connections.js'

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
