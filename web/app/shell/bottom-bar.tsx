/** The bottom navigation bar on phones. */
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { AppLink } from '../parts/app-link.js'
import { Icon, type IconName } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import type { PageName } from '../route.js'
import { openAddDialog } from './adding.js'
import { useShownLinks } from './shown-links.js'

/** Pages in the "More" menu. */
const others: readonly (readonly [PageName, IconName])[] = [
  ['people', 'people'],
  ['map', 'map'],
  ['streams', 'tree'],
  ['table', 'table'],
  ['photos', 'photo'],
  ['compare', 'link'],
  ['channels', 'bell'],
  ['import', 'import'],
  ['connect', 'phone'],
  ['account', 'person']
]

export function BottomBar({ page }: { readonly page: PageName }) {
  const { isOwner } = useAccount()
  const isShown = useShownLinks()
  const renderLink = (name: PageName, icon: IconName) => (
    <AppLink to={{ page: name }} isCurrent={page === name}>
      <Icon name={icon} />
      {t(`shell.${name}` as 'shell.timeline')}
    </AppLink>
  )
  if (!isOwner)
    return (
      <nav class="dock" aria-label={t('shell.main')}>
        {renderLink('timeline', 'lines')}
        {renderLink('table', 'table')}
        {renderLink('map', 'map')}
        {renderLink('photos', 'photo')}
        {renderLink('streams', 'tree')}
      </nav>
    )
  return (
    <nav class="dock" aria-label={t('shell.main')}>
      {renderLink('today', 'clock')}
      {renderLink('timeline', 'lines')}
      <button type="button" class="plus" aria-label={t('shell.add')} onClick={() => openAddDialog()}>
        <Icon name="plus" />
      </button>
      {renderLink('shared', 'eye')}
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
        {others.filter(isShown).map(([name, icon]) => renderLink(name, icon))}
      </Menu>
    </nav>
  )
}
