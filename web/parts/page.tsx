/** What every view stands in: a heading that takes the focus, and the words below it. */
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { Surroundings } from '../surroundings.js'

interface Props {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly children?: ComponentChildren
}

/** Whether a view has been shown before: the first one leaves the focus where the browser puts it. */
let isFirst = true

export function Page({ title, lead, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { info } = useContext(Surroundings)
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  useEffect(() => {
    document.title = `${title} – ${info.name}`
  }, [title, info.name])
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </>
  )
}
