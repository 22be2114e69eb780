/** Chooses streams in the tree. Sharing a stream includes those below it. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import type { Stream } from '../data/model.js'
import { useStore } from '../data/store.js'
import { ExpandButton } from '../parts/expand-button.js'

interface Props {
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
  readonly problem: string | undefined
}

/** Shows the tree without trashed streams. Choosing a stream removes those below it from the choice. */
export function StreamChoice({ chosen, onChange, problem }: Props) {
  const tree = useStore(useAccount().tree)
  const roots = tree?.roots.filter(({ trashed }) => !trashed) ?? []
  const toggle = (stream: Stream): void => {
    const next = new Set(chosen)
    // The streams below are included.
    for (const id of tree!.listSubtreeIds(stream.id)) next.delete(id)
    if (!chosen.has(stream.id)) next.add(stream.id)
    onChange(next)
  }
  return (
    <fieldset
      class="streams-choice"
      {...(problem === undefined ? {} : { 'aria-describedby': 'streams-problem' })}
    >
      <legend>{t('shared.what')}</legend>
      <div class="box">
        {roots.length === 0 && <p class="hint">{t('shell.noStreams')}</p>}
        <ul>
          {roots.map(stream => (
            <Branch key={stream.id} stream={stream} chosen={chosen} isWithin={false} onToggle={toggle} />
          ))}
        </ul>
      </div>
      {problem !== undefined && (
        <p class="problem" id="streams-problem" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

interface BranchProps {
  readonly stream: Stream
  readonly chosen: ReadonlySet<string>
  /** Whether an ancestor is chosen. */
  readonly isWithin: boolean
  readonly onToggle: (stream: Stream) => void
}

/** Shows a stream with a checkbox, and the streams below it. Streams within a chosen one are chosen with it. */
function Branch({ stream, chosen, isWithin, onToggle }: BranchProps) {
  const children = stream.children.filter(({ trashed }) => !trashed)
  const [isOpen, setOpen] = useState(stream.parentId === null && children.length < 12)
  const isChosen = isWithin || chosen.has(stream.id)
  const name = toPlainText(stream.name)
  return (
    <li>
      <div>
        <label>
          <input type="checkbox" checked={isChosen} disabled={isWithin} onChange={() => onToggle(stream)} />
          <i class="dot" style={{ '--c': getStreamColour(stream) }} />
          <span>{name}</span>
        </label>
        {children.length > 0 && <ExpandButton isOpen={isOpen} name={name} onTurn={() => setOpen(!isOpen)} />}
      </div>
      {isOpen && children.length > 0 && (
        <ul>
          {children.map(child => (
            <Branch key={child.id} stream={child} chosen={chosen} isWithin={isChosen} onToggle={onToggle} />
          ))}
        </ul>
      )}
    </li>
  )
}
