/** Shows whose data a shared link shows, which streams, and until when. */
import { getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { Icon } from '../parts/icon.js'
import { formatDay } from '../parts/format-time.js'

/** Maximum stream names shown. */
const maxNames = 5
/** Later expiry dates are not shown: ten thousand years, in seconds. */
const maxShownExpiry = 10_000 * 365 * 86_400

/**
 * Names up to five streams, and the number of others; no username if the link hides it, and no end that is far
 * away.
 */
export function GuestBanner() {
  const { info, tree, username } = useAccount()
  const streams = useStore(tree)
  const names = info.permissions.flatMap(permission =>
    'streamId' in permission && permission.level !== 'none' && !permission.streamId.startsWith(':')
      ? [permission.streamId === '*' ? t('shell.allData') : getName(permission.streamId)]
      : []
  )
  function getName(id: string): string {
    return toPlainText(streams?.find(id)?.name ?? id)
  }
  const shownNames = names.slice(0, maxNames)
  if (names.length > maxNames) shownNames.push(t('shell.moreStreams', { count: names.length - maxNames }))
  const list = new Intl.ListFormat(getLocale(), { type: 'conjunction' }).format(shownNames)
  const end = info.expires ?? Infinity
  return (
    <div class="guest-banner" role="note">
      <p>
        <Icon name="eye" />
        <span>
          {info.alias === undefined ? t('guest.banner', { username }) : t('guest.bannerUnnamed')}{' '}
          <b>{list === '' ? t('guest.nothing') : list}</b>
          {end - Date.now() / 1000 < maxShownExpiry && (
            <span class="num">; {t('shell.until', { date: formatDay(end) })}</span>
          )}
        </span>
      </p>
    </div>
  )
}
