/** The state of a connection in words and colour. */
import { getLocale, t } from '../../language.js'
import { getState, type Connection } from './connections.js'

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

/** Formats how long ago a time was, in seconds: `3 minutes ago`. */
export function formatAgo(time: number, now: number): string {
  const seconds = Math.max(0, now - time)
  const [unit, length] =
    seconds < 3600
      ? (['minute', 60] as const)
      : seconds < 86_400
        ? (['hour', 3600] as const)
        : (['day', 86_400] as const)
  if (seconds < 60) return t('connect.justNow')
  return new Intl.RelativeTimeFormat(getLocale()).format(-Math.floor(seconds / length), unit)
}
