/** The layout of each view: the service's name above, languages and help below. */
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { t } from '../language.js'
import mark from '../assets/logo.svg'
import { LanguageOptions } from './language-options.js'
import { PageContext } from '../page-context.js'

interface Props {
  /** The current language. */
  readonly tag: string
  readonly onLanguage: (tag: string) => void
  readonly children: ComponentChildren
}

/** Shows a page between the header of the service and the choice of language. */
export function PageLayout({ tag, onLanguage, children }: Props) {
  const { info } = useContext(PageContext)
  return (
    <>
      <ServiceHeader name={info.name} />
      <main class="sheet">{children}</main>
      <footer class="foot">
        <label>
          <span class="unseen">{t('frame.language')}</span>
          <select value={tag} onChange={event => onLanguage(event.currentTarget.value)}>
            <LanguageOptions />
          </select>
        </label>
        <Help />
      </footer>
    </>
  )
}

/** The logo and the name of the service, if it is known. */
export function ServiceHeader({ name }: { readonly name: string }) {
  return (
    <header class="mast">
      <img src={mark} alt="" width="32" height="32" />
      <span>{name}</span>
    </header>
  )
}

/**
 * A link to the operator's help page or address, or what else the operator has given; renders nothing if
 * there is none besides the home page.
 */
function Help() {
  const { support, home } = useContext(PageContext).info
  if (support === '' || support === home) return null
  const href = /^https?:/.test(support) ? support : support.includes('@') ? `mailto:${support}` : undefined
  return href === undefined ? (
    <span>{support}</span>
  ) : (
    <a href={href} rel="noopener noreferrer">
      {t('frame.help')}
    </a>
  )
}
