/** The way back to the first page, below whatever else a view shows. */
import { t, type Key } from '../../language.js'
import { Link } from '../../parts/link.js'

export function Back({ text }: { readonly text: Key }) {
  return (
    <ul class="links">
      <li>
        <Link to="access">{t(text)}</Link>
      </li>
    </ul>
  )
}
