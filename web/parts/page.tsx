/** The layout of every view: a heading that takes the focus, a lead, and the content. */
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { PageContext } from '../page-context.js'

/** Icons of views that report a state: done, sent, over, nothing. */
const stateIcons = {
  done: 'M5 12.5l4.5 4.5L19 7.5',
  mail: 'M3.5 6h17v12h-17zM4 6.5l8 6.5 8-6.5',
  over: 'M12 7v5.5l3.5 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18',
  none: 'M6 12h12'
}

interface Props {
  readonly title: string
  readonly seal?: keyof typeof stateIcons
  readonly lead?: ComponentChildren
  readonly children?: ComponentChildren
}

/** True until a view has been shown: the first one does not move the focus. */
let isFirst = true

/** Shows a page with its heading, which is focused, except at the first page. */
export function Page({ title, seal, lead, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { info } = useContext(PageContext)
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  useEffect(() => {
    document.title = info.name === '' ? title : `${title} – ${info.name}`
  }, [title, info.name])
  return (
    <>
      {seal && (
        <svg class="seal" viewBox="0 0 24 24" aria-hidden="true">
          <path d={stateIcons[seal]} />
        </svg>
      )}
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </>
  )
}
