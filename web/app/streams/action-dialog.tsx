/** The dialog of the current action on a stream, and the menu items that open it. */
import { t, type Key } from '../../language.js'
import type { Stream } from '../data/model.js'
import { Icon, type IconName } from '../parts/icon.js'
import { ColourDialog, CreateDialog, MoveDialog, RenameDialog, type StreamAction } from './dialogs.js'
import { DeleteDialog, TrashDialog } from './delete-dialogs.js'
import { MeasureDialog } from '../shell/measure-dialog.js'

interface Props {
  readonly doing: StreamAction | undefined
  readonly onClose: () => void
  /** Called when the stream has been deleted. */
  readonly onDeleted?: () => void
}

/** Shows the dialog of `doing`; renders nothing without it. */
export function ActionDialog({ doing, onClose, onDeleted = () => {} }: Props) {
  if (!doing) return null
  const { stream, what } = doing
  if (what === 'create' || !stream) return <CreateDialog parent={stream} onClose={onClose} />
  if (what === 'rename') return <RenameDialog stream={stream} onClose={onClose} />
  if (what === 'move') return <MoveDialog stream={stream} onClose={onClose} />
  if (what === 'measure') return <MeasureDialog stream={stream} onClose={onClose} />
  if (what === 'colour') return <ColourDialog stream={stream} onClose={onClose} />
  if (what === 'trash') return <TrashDialog stream={stream} onClose={onClose} />
  return <DeleteDialog stream={stream} onClose={onClose} onDeleted={onDeleted} />
}

const actions: readonly (readonly [StreamAction['what'], IconName, Key])[] = [
  ['create', 'plus', 'streams.newSubstream'],
  ['rename', 'edit', 'shell.rename'],
  ['move', 'tree', 'streams.moveAction'],
  ['measure', 'lines', 'streams.measure'],
  ['colour', 'filter', 'streams.colour'],
  ['trash', 'trash', 'shell.moveToTrash']
]

/** Menu items for the actions on a stream. */
export function ActionButtons({
  stream,
  onDoing
}: {
  readonly stream: Stream
  readonly onDoing: (doing: StreamAction) => void
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
