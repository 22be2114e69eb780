/** A link to another of the pages. */
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { hrefOf, Surroundings, type Place } from '../surroundings.js'

interface Props {
  readonly to: Place
  /** Looks like the page's one action. */
  readonly isPrimary?: boolean
  readonly children: ComponentChildren
}

export function Link({ to, isPrimary = false, children }: Props) {
  const { go } = useContext(Surroundings)
  return (
    <a
      href={hrefOf(to)}
      {...(isPrimary ? { class: 'button primary' } : {})}
      onClick={event => {
        // Whoever asks for a new tab gets one.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        go(to)
      }}
    >
      {children}
    </a>
  )
}
