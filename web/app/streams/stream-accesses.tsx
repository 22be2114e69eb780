/** The accesses that may see a stream, and their levels. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { getEnd } from '../data/access-facts.js'
import { useAccount } from '../data/account.js'
import type { Stream } from '../data/model.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { formatDay } from '../parts/format-time.js'
import { getPathIds, listNamingAccesses, listStreamAccesses } from './audience.js'

/** Lists accesses to the stream, then those that may see only streams below it. Ended ones are omitted. */
export function StreamAccesses({ stream }: { readonly stream: Stream }) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const accesses = useStore(account.accesses)
  const now = Date.now() / 1000
  const readers = listStreamAccesses(accesses, getPathIds(tree, stream.id), now)
  const ids = (tree?.listSubtreeIds(stream.id) ?? []).filter(id => id !== stream.id)
  const others = listNamingAccesses(accesses, ids, now).filter(
    access => !readers.some(each => each.access === access)
  )
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
            <AppLink to={{ page: 'shared', id: access.id }}>
              <Icon name="eye" />
              <span>
                {toPlainText(access.name)}
                {access.deviceName ? ` (${toPlainText(access.deviceName)})` : ''}
                <small>
                  {t(`shell.level.${level}`)}
                  {access.expires ? `, ${t('shell.until', { date: formatDay(getEnd(access)) })}` : ''}
                </small>
              </span>
            </AppLink>
          </li>
        ))}
        {others.map(access => (
          <li key={access.id}>
            <AppLink to={{ page: 'shared', id: access.id }}>
              <Icon name="eye" />
              <span>
                {toPlainText(access.name)}
                <small>{t('streams.partly')}</small>
              </span>
            </AppLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
