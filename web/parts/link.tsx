/** A link to another page. */
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { PageContext, type PageId } from '../page-context.js'

interface Props {
  readonly to: PageId
  /** Whether the link looks like the page's primary action. */
  readonly isPrimary?: boolean
  readonly children: ComponentChildren
}

/** Shows a link to a page of this program, opened without a request unless it is for a new tab. */
export function Link({ to, isPrimary = false, children }: Props) {
  const { go, getHref } = useContext(PageContext)
  return (
    <a
      href={getHref(to)}
      {...(isPrimary ? { class: 'button primary' } : {})}
      onClick={event => {
        // Modified clicks open a new tab or window.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        go(to)
      }}
    >
      {children}
    </a>
  )
}
