/** The bottom navigation bar on phones. */
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import type { PageName } from '../route.js'
import { openAddDialog } from './adding.js'
import { useNavLinks } from './nav-links.js'

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
