/** A button that opens a menu of links and actions. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

interface Props {
  /** Label of the button for screen readers. */
  readonly label: string
  readonly button: ComponentChildren
  readonly children: ComponentChildren
  readonly class?: string
}

export function Menu({ label, button, children, class: style = 'round' }: Props) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const id = useId()
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
