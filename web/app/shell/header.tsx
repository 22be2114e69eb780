/** The header of all pages: service name, search, adding, account menu. */
import { useContext, useState } from 'preact/hooks'
import mark from '../../assets/logo.svg'
import { t } from '../../language.js'
import { LanguageOptions } from '../../parts/language-options.js'
import { PageContext } from '../../page-context.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { firstPage } from '../route.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import { openAddDialog } from './adding.js'
import { SearchBox } from './search-box.js'

interface Props {
  readonly tag: string
  readonly onLanguage: (tag: string) => void
  readonly onLeave: () => void
}

/** Shows the header; guests get no adding and no account pages, and close the link instead of signing out. */
export function Header({ tag, onLanguage, onLeave }: Props) {
  const { info } = useContext(PageContext)
  const { info: access, live, isOwner, username } = useAccount()
  const { user } = access
  const isLive = useStore(live.isOn)
  const [isFinding, setFinding] = useState(false)
  return (
    <header class={isFinding ? 'lid finding' : 'lid'}>
      <AppLink to={{ page: isOwner ? firstPage : 'timeline' }} class="brand">
        <img src={mark} alt="" width="30" height="30" />
        <span>{info.name}</span>
      </AppLink>
      <SearchBox onFinding={setFinding} />
      <nav aria-label={t('shell.account')}>
        <span class={isLive ? 'live on' : 'live'} role="status">
          <i />
          <span>{t(isLive ? 'shell.live' : 'shell.notLive')}</span>
        </span>
        {isOwner && (
          <button type="button" class="add" onClick={() => openAddDialog()}>
            <Icon name="plus" />
            {t('shell.add')}
          </button>
        )}
        <Menu
          label={isOwner ? t('shell.accountOf', { username }) : t('frame.language')}
          button={
            isOwner ? <span class="face">{username.charAt(0).toUpperCase()}</span> : <Icon name="globe" />
          }
        >
          {isOwner && (
            <>
              <p class="who">{username}</p>
              <AppLink to={{ page: 'account' }}>
                <Icon name="person" />
                {t('shell.ownAccount')}
              </AppLink>
              {user?.isOperator && (
                <a href="/operator">
                  <Icon name="people" />
                  {t('shell.operator')}
                </a>
              )}
            </>
          )}
          <label class="choice">
            <Icon name="globe" />
            <span class="unseen">{t('frame.language')}</span>
            <select value={tag} onChange={event => onLanguage(event.currentTarget.value)}>
              <LanguageOptions />
            </select>
          </label>
          <button type="button" onClick={onLeave}>
            <Icon name="out" />
            {t(isOwner ? 'account.signOut' : 'shell.close')}
          </button>
        </Menu>
      </nav>
      <i class="clasp" aria-hidden="true" />
    </header>
  )
}
