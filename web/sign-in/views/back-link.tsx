/** A link back to signing in or to the account page, at the end of a view. */
import { t } from '../../language.js'
import { Link } from '../../parts/link.js'

export function BackLink({ to }: { readonly to: 'access' | 'account' }) {
  return (
    <ul class="links">
      <li>
        <Link to={to}>{t(to === 'access' ? 'reset.signIn' : 'account.back')}</Link>
      </li>
    </ul>
  )
}
