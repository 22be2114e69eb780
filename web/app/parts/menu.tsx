/** A button that opens a menu of links and actions. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  /** Label of the button for screen readers. */
  readonly label: string
  readonly button: ComponentChildren
  readonly children: ComponentChildren
  readonly class?: string
}

/** Shows the button. A click on an item or outside, or Escape, closes the menu. */
export function Menu({ label, button, children, class: style = 'round' }: Props) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    if (isOpen) fitOnScreen(list.current!, opener.current!)
  })
  useEffect(() => {
    if (!isOpen) return undefined
    const closeOutside = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false)
    }
    const closeOnEscape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
      setOpen(false)
      opener.current?.focus()
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    document.addEventListener('keydown', closeOnEscape)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
      document.removeEventListener('keydown', closeOnEscape)
    }
  }, [isOpen])
  return (
    <div class="menu" ref={box}>
      <button
        ref={opener}
        type="button"
        class={style}
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      <div
        id={id}
        ref={list}
        class="list"
        hidden={!isOpen}
        onClick={event => {
          if ((event.target as Element).closest('a, button')) setOpen(false)
        }}
      >
        {children}
      </div>
    </div>
  )
}

/** Minimum distance in pixels between a menu and what limits it. */
const gap = 8

/** Opens a menu upwards if there is more space above its button, and lets it scroll where it does not fit. */
function fitOnScreen(list: HTMLElement, opener: HTMLElement): void {
  list.classList.remove('up')
  list.style.maxHeight = ''
  const height = list.offsetHeight + gap
  const { bottom, top } = opener.getBoundingClientRect()
  const above = top - getEdge('.lid', opener, 'bottom', 0)
  const below = getEdge('.dock', opener, 'top', innerHeight) - bottom
  const isUp = height > below && above > below
  list.classList.toggle('up', isUp)
  const space = isUp ? above : below
  if (height > space) list.style.maxHeight = `${space - 2 * gap}px`
}

/** Returns where the header or the bottom bar ends; `fallback` if it is hidden, or if the button is part of it. */
function getEdge(selector: string, opener: Element, edge: 'top' | 'bottom', fallback: number): number {
  const bar = document.querySelector<HTMLElement>(selector)
  if (!bar || bar.contains(opener) || bar.offsetHeight === 0) return fallback
  return bar.getBoundingClientRect()[edge]
}
