/** The button that collapses and expands the streams below a stream. */
import { t } from '../../language.js'
import { Icon } from './icon.js'

interface Props {
  readonly isOpen: boolean
  /** Name of the stream. */
  readonly name: string
  readonly onTurn: () => void
}

/** Shows the arrow; `onTurn` is called on a click, and the parent keeps the state. */
export function ExpandButton({ isOpen, name, onTurn }: Props) {
  return (
    <button
      type="button"
      class="turn"
      aria-expanded={isOpen}
      aria-label={t(isOpen ? 'shell.fold' : 'shell.unfold', { stream: name })}
      onClick={onTurn}
    >
      <Icon name={isOpen ? 'down' : 'right'} />
    </button>
  )
}
