/** What a browser finds at the root of the service or of an account, and where there is nothing. */
import { useContext } from 'preact/hooks'
import { root } from '../../api.js'
import { t } from '../../language.js'
import { Link } from '../../parts/link.js'
import { Page } from '../../parts/page.js'
import { Surroundings } from '../../surroundings.js'

/** `isDoor`: whether this is the root of an account, whoever's it may be. */
export function Home({ isDoor }: { readonly isDoor: boolean }) {
  const { facts, info } = useContext(Surroundings)
  const { home, name, terms } = info
  return (
    <Page title={name} lead={t(isDoor ? 'home.door' : 'home.lead')}>
      <div class="actions">
        <a class="button primary" href={new URL('app/', root).href}>
          {t('home.open')}
        </a>
        {facts.registration === 'open' && (
          <a class="button" href={new URL('app/?register', root).href}>
            {t('signIn.register')}
          </a>
        )}
      </div>
      {facts.registration === 'invited' && <p class="hint">{t('register.leadInvited')}</p>}
      <ul class="links">
        <li>
          <Link to="account">{t('home.account')}</Link>
        </li>
        {isWeb(home) && !isHere(home) && (
          <li>
            <a href={home} rel="noopener noreferrer">
              {t('home.about')}
            </a>
          </li>
        )}
        {isWeb(terms) && terms !== home && (
          <li>
            <a href={terms} rel="noopener noreferrer">
              {t('home.terms')}
            </a>
          </li>
        )}
        <li>
          <a href={new URL('docs/', root).href}>{t('home.api')}</a>
        </li>
      </ul>
    </Page>
  )
}

export function Nowhere() {
  return (
    <Page title={t('nowhere.title')} seal="none" lead={t('nowhere.lead')}>
      <div class="actions">
        <a class="button primary" href={root.href}>
          {t('nowhere.home')}
        </a>
      </div>
    </Page>
  )
}

function isWeb(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text)
}

/** Whether an address is that of this page: without a home page of its own, the service names itself. */
function isHere(text: string): boolean {
  return new URL(text).href.replace(/\/$/, '') === root.href.replace(/\/$/, '')
}
