/** The dialog of the current action on a stream, and the menu items that open it. */
import { t, type Key } from '../../language.js'
import type { Stream } from '../data/model.js'
import { Icon, type IconName } from '../parts/icon.js'
import { Colour, Create, Move, Rename, type Doing } from './dialogs.js'
import { ForGood, Trash } from './leaving.js'

interface Props {
  readonly doing: Doing | undefined
  readonly onClose: () => void
  /** Called when the stream has been deleted. */
  readonly onDeleted?: () => void
}

export function Doings({ doing, onClose, onDeleted = () => {} }: Props) {
  if (!doing) return null
  const { stream, what } = doing
  if (what === 'create' || !stream) return <Create parent={stream} onClose={onClose} />
  if (what === 'rename') return <Rename stream={stream} onClose={onClose} />
  if (what === 'move') return <Move stream={stream} onClose={onClose} />
  if (what === 'colour') return <Colour stream={stream} onClose={onClose} />
  if (what === 'trash') return <Trash stream={stream} onClose={onClose} />
  return <ForGood stream={stream} onClose={onClose} onDeleted={onDeleted} />
}

const actions: readonly (readonly [Doing['what'], IconName, Key])[] = [
  ['create', 'plus', 'streams.newSubstream'],
  ['rename', 'edit', 'shell.rename'],
  ['move', 'tree', 'streams.moveAction'],
  ['colour', 'filter', 'streams.colour'],
  ['trash', 'trash', 'shell.moveToTrash']
]

/** Menu items for the actions on a stream. */
export function DoingButtons({
  stream,
  onDoing
}: {
  readonly stream: Stream
  readonly onDoing: (doing: Doing) => void
}) {
  return (
    <>
      {actions.map(([what, icon, key]) => (
        <button key={what} type="button" onClick={() => onDoing({ what, stream })}>
          <Icon name={icon} />
          {t(key)}
        </button>
      ))}
    </>
  )
}
