/** The accesses that may see a stream, and their levels. */
import { t } from '../../language.js'
import { plain } from '../../plain.js'
import { useAccount } from '../data/account.js'
import type { Stream } from '../data/model.js'
import { useStore } from '../data/store.js'
import { Go } from '../parts/go.js'
import { Icon } from '../parts/icon.js'
import { day } from '../parts/time.js'
import { idsTo, namedBy, seersOf } from './sight.js'

export function Seers({ stream }: { readonly stream: Stream }) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const accesses = useStore(account.accesses)
  const now = Date.now() / 1000
  const readers = seersOf(accesses, idsTo(tree, stream.id), now)
  const ids = (tree?.idsBelow(stream.id) ?? []).filter(id => id !== stream.id)
  const others = namedBy(accesses, ids, now).filter(access => !readers.some(each => each.access === access))
  return (
    <section class="card seers">
      <h2>{t('streams.whoSees')}</h2>
      {readers.length === 0 && others.length === 0 && (
        <p class="hint">
          <Icon name="lock" /> {t('shell.onlyYou')}
        </p>
      )}
      <ul>
        {readers.map(({ access, level }) => (
          <li key={access.id}>
            <Go to={{ page: 'shared', id: access.id }}>
              <Icon name="eye" />
              <span>
                {plain(access.name)}
                {access.deviceName ? ` (${plain(access.deviceName)})` : ''}
                <small>
                  {t(`shell.level.${level}`)}
                  {access.expires ? `, ${t('shell.until', { date: day(access.expires) })}` : ''}
                </small>
              </span>
            </Go>
          </li>
        ))}
        {others.map(access => (
          <li key={access.id}>
            <Go to={{ page: 'shared', id: access.id }}>
              <Icon name="eye" />
              <span>
                {plain(access.name)}
                <small>{t('streams.partly')}</small>
              </span>
            </Go>
          </li>
        ))}
      </ul>
    </section>
  )
}
