/** The view after a redirect from a provider, loaded with its texts when needed, which is rare. */
import { lazyView } from '../../parts/lazy-view.js'

export const RedirectResultView = lazyView(async () => {
  const [module, { addIdentityTexts }] = await Promise.all([import('./returned.js'), import('./texts.js')])
  await addIdentityTexts()
  return module.RedirectResultView
})
