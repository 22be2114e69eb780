/** Buttons that sign in with identity providers, and the view after a redirect from one. */
import { useContext } from 'preact/hooks'
import { t } from '../../language.js'
import { PageContext } from '../../page-context.js'
import { redirectToProvider } from './going.js'
import { lazyView } from '../../parts/lazy-view.js'

interface Props {
  /** Whether to show only providers whose users may register. */
  readonly isOpen?: boolean
  /** Whether there is no other way to sign in. */
  readonly isOnly?: boolean
}

/** Shows a button for each identity provider; with `isOpen` only for those that register new users. */
export function ProviderButtons({ isOnly = false, isOpen = false }: Props) {
  const { facts } = useContext(PageContext)
  const providers = facts.providers.filter(provider => provider.isOpen || !isOpen)
  if (providers.length === 0) return null
  return (
    <div class="providers">
      {!isOnly && <p class="or">{t('signIn.or')}</p>}
      {providers.map(({ label, name }) => (
        <button
          key={name}
          type="button"
          class={isOnly && providers.length === 1 ? 'button primary' : 'button'}
          onClick={() => redirectToProvider(name)}
        >
          {t('signIn.by', { provider: label })}
        </button>
      ))}
    </div>
  )
}

export const RedirectResultView = lazyView(async () => {
  const [module, { addIdentityTexts }] = await Promise.all([import('./returned.js'), import('./texts.js')])
  await addIdentityTexts()
  return module.RedirectResultView
})
