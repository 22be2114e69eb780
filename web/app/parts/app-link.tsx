/** A link to another page of the app. */
import type { ComponentChildren } from 'preact'
import { useAccount } from '../data/account.js'
import { buildHref, navigate, type Target } from '../route.js'

interface Props {
  readonly to: Target
  readonly class?: string
  readonly isCurrent?: boolean
  readonly label?: string
  readonly children: ComponentChildren
}

/**
 * Shows a link that navigates without loading the page again; with modifier keys, the browser opens it as
 * usual.
 */
export function AppLink({ to, class: style, isCurrent = false, label, children }: Props) {
  const { username } = useAccount()
  const href = buildHref(username, to)
  return (
    <a
      href={href}
      {...(style === undefined ? {} : { class: style })}
      {...(isCurrent ? { 'aria-current': 'page' } : {})}
      {...(label === undefined ? {} : { 'aria-label': label })}
      onClick={event => {
        // Modified clicks open a new tab or window.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        navigate(href)
      }}
    >
      {children}
    </a>
  )
}
