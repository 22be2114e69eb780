/** Grey shapes in place of what is being loaded, so that nothing jumps when it arrives. */
import './skeleton.css'
import { t } from '../../language.js'

interface Props {
  /** A whole page with its title, rows of a list, or the squares of pictures. */
  readonly kind: 'page' | 'rows' | 'pictures'
}

const shapes: Readonly<Record<Props['kind'], number>> = { page: 4, rows: 5, pictures: 12 }

/** Shows the shapes of a kind of content; screen readers announce that it is loading. */
export function Skeleton({ kind }: Props) {
  return (
    <div class={`skeleton ${kind}`} role="status">
      <span class="unseen">{t('loading')}</span>
      {Array.from({ length: shapes[kind] }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  )
}
