/** The page at the root of the service or of an account, and the page for unknown URLs. */
import { useContext } from 'preact/hooks'
import { root } from '../../api.js'
import { t } from '../../language.js'
import { Link } from '../../parts/link.js'
import { Page } from '../../parts/page.js'
import { PageContext } from '../../page-context.js'

/** The root page. `isAccountRoot`: whether this is the root of an account, which may not exist. */
export function Home({ isAccountRoot }: { readonly isAccountRoot: boolean }) {
  const { facts, info } = useContext(PageContext)
  const { home, name, terms } = info
  return (
    <Page title={name} lead={t(isAccountRoot ? 'home.door' : 'home.lead')}>
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
        {isWebUrl(home) && !isThisPage(home) && (
          <li>
            <a href={home} rel="noopener noreferrer">
              {t('home.about')}
            </a>
          </li>
        )}
        {isWebUrl(terms) && terms !== home && (
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

export function NotFound() {
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

function isWebUrl(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text)
}

/** Returns whether a URL is the URL of this page: a service without a home page names itself. */
function isThisPage(text: string): boolean {
  return new URL(text).href.replace(/\/$/, '') === root.href.replace(/\/$/, '')
}
