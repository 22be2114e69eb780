/** Links to pages, in the sidebar and the bottom bar: not to those of features that the operator has turned off. */
import type { VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { t } from '../../language.js'
import { PageContext } from '../../page-context.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { Icon, type IconName } from '../parts/icon.js'
import type { PageName } from '../route.js'
import { Menu } from '../parts/menu.js'
import { openAddDialog } from './adding.js'

/**
 * Returns a function that renders links to pages: their names with spaces between, each followed by a dot and the name of its icon, if
 * that is another. `page`: the current one.
 */
export function useNavLinks(page: PageName): (links: string) => (VNode | false)[] {
  const { hasChannels, hasConsent } = useContext(PageContext).facts
  const { live } = useAccount()
  const news = useStore(live.news)
  return links =>
    links.split(' ').map(link => {
      const [name, icon = name] = link.split('.') as [PageName, IconName?]
      return (
        (name !== 'channels' || hasChannels) &&
        (name !== 'people' || hasConsent) && (
          <AppLink key={name} to={{ page: name }} isCurrent={page === name}>
            <Icon name={icon as IconName} />
            {t(`shell.${name}` as 'shell.timeline')}
            {name === 'people' && news > 0 && <b class="badge">{news}</b>}
          </AppLink>
        )
      )
    })
}

/** Shows the links; guests get only pages that a shared link has, without adding and the menu. */
export function BottomBar({ page }: { readonly page: PageName }) {
  const { isOwner } = useAccount()
  const renderLinks = useNavLinks(page)
  if (!isOwner)
    return (
      <nav class="dock" aria-label={t('shell.main')}>
        {renderLinks('timeline.lines table map photos.photo streams.tree')}
      </nav>
    )
  return (
    <nav class="dock" aria-label={t('shell.main')}>
      {renderLinks('today.clock timeline.lines')}
      <button type="button" class="plus" aria-label={t('shell.add')} onClick={() => openAddDialog()}>
        <Icon name="plus" />
      </button>
      {renderLinks('shared.eye')}
      <Menu
        class="nav-link"
        label={t('shell.more')}
        button={
          <>
            <Icon name="more" />
            {t('shell.more')}
          </>
        }
      >
        {renderLinks(
          'people map streams.tree table photos.photo compare.link channels.bell import connect.phone account.person'
        )}
      </Menu>
    </nav>
  )
}
