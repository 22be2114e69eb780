/** Leads to the page of the service on how to set an app up. (docs/connect.md) */
import { root } from '../../api.js'
import { t } from '../../language.js'

/** Shows the link, which opens in a new tab. */
export function GuideLink({ dialect }: { readonly dialect: string }) {
  return (
    <a
      href={new URL(`docs/connect/${encodeURIComponent(dialect)}`, root).href}
      target="_blank"
      rel="noopener"
    >
      {t('connect.guide')}
    </a>
  )
}
