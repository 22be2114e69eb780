/** The streams that an access may see, as chips with their colours, and levels if they differ. */
import { t } from '../../language.js'
import { getLevelKey, type Grant } from './accesses.js'

interface Props {
  readonly grants: readonly Grant[]
  /** Maximum chips; the number of others is shown. */
  readonly most?: number
}

/** Shows up to `most` chips, then the number of others. */
export function GrantChips({ grants, most = 6 }: Props) {
  const differ = new Set(grants.map(({ level }) => level)).size > 1
  const shown = grants.slice(0, most)
  return (
    <ul class="grants-short">
      {shown.map(({ streamId, name, level, colour }) => (
        <li key={streamId} class={level === 'none' ? 'not' : undefined}>
          <i class="dot" style={{ '--c': colour ?? 'var(--ink)' }} />
          {name}
          {differ && <small>{t(getLevelKey([level]))}</small>}
        </li>
      ))}
      {grants.length > shown.length && (
        <li>{t('shell.moreStreams', { count: grants.length - shown.length })}</li>
      )}
    </ul>
  )
}
