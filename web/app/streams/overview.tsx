/** The tree of streams with counts and latest values, and the trash. */
import { useMemo, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import { isGlucose, formatContent } from '../data/event-types.js'
import type { Stream } from '../data/model.js'
import { useStore } from '../data/store.js'
import { displayUnits } from '../data/display-units.js'
import { formatNumber } from '../data/units.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import { formatDateTime } from '../parts/format-time.js'
import { showToast } from '../parts/toast.js'
import { ExpandButton } from '../parts/expand-button.js'
import { Skeleton } from '../parts/skeleton.js'
import { openAddDialog } from '../shell/adding.js'
import { restoreStream, trashStream } from '../data/update-stream.js'
import type { StreamAction } from './dialogs.js'
import { ActionButtons, ActionDialog } from './action-dialog.js'
import { computeTotals, type StreamTotals } from './stream-totals.js'

/** Shows the tree. Creating streams and the trash are only for the owner; the trash is hidden if empty. */
export function Overview() {
  const account = useAccount()
  const tree = useStore(account.tree)
  const facts = useStore(account.facts)
  useStore(displayUnits)
  const [action, setAction] = useState<StreamAction>()
  const tallyOf = useMemo(() => (tree ? computeTotals(tree, facts) : undefined), [tree, facts])
  if (!tree || !tallyOf) return <Skeleton kind="page" />
  const roots = tree.roots.filter(({ trashed }) => !trashed)
  // Only the topmost trashed streams: those below are restored and deleted with them.
  const trashed = tree.all.filter(
    ({ id, trashed: isTrashed }) => isTrashed && tree.getPath(id).filter(each => each.trashed).length === 1
  )
  return (
    <div class="overview">
      <header>
        <h1>{t('shell.streams')}</h1>
        {account.isOwner && (
          <button type="button" class="square" onClick={() => setAction({ what: 'create' })}>
            <Icon name="plus" />
            {t('streams.new')}
          </button>
        )}
      </header>
      {roots.length === 0 ? (
        <section class="card empty">
          <h2>{t('streams.none')}</h2>
          <p>{t('streams.noneLead')}</p>
          <button type="button" class="button primary" onClick={() => openAddDialog()}>
            {t('shell.addData')}
          </button>
        </section>
      ) : (
        <section class="card">
          <ul class="list">
            {roots.map(stream => (
              <Branch key={stream.id} stream={stream} depth={0} tallyOf={tallyOf} onDoing={setAction} />
            ))}
          </ul>
        </section>
      )}
      {trashed.length > 0 && account.isOwner && (
        <section class="card bin">
          <h2>{t('streams.trash')}</h2>
          <p class="hint">{t('streams.trashHint')}</p>
          <ul>
            {trashed.map(stream => (
              <li key={stream.id}>
                <Icon name="trash" />
                <AppLink to={{ page: 'streams', id: stream.id }}>{toPlainText(stream.name)}</AppLink>
                <Action
                  class="square"
                  label={t('streams.restoreOne', { stream: toPlainText(stream.name) })}
                  onClick={async () => {
                    await restoreStream(account, stream.id)
                    showToast(t('streams.restored'), async () => void (await trashStream(account, stream.id)))
                  }}
                >
                  {t('shell.restore')}
                </Action>
                <button
                  type="button"
                  class="square danger"
                  aria-label={t('streams.deleteOne', { stream: toPlainText(stream.name) })}
                  onClick={() => setAction({ what: 'delete', stream })}
                >
                  {t('shell.deletePermanently')}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <ActionDialog doing={action} onClose={() => setAction(undefined)} />
    </div>
  )
}

interface BranchProps {
  readonly stream: Stream
  readonly depth: number
  readonly tallyOf: (id: string) => StreamTotals
  readonly onDoing: (action: StreamAction) => void
}

/** Shows a stream with its counts, latest value and actions, and the streams below it if open. */
function Branch({ stream, depth, tallyOf, onDoing }: BranchProps) {
  const { isOwner, tree } = useAccount()
  const children = stream.children.filter(({ trashed }) => !trashed)
  const [isOpen, setOpen] = useState(depth < 2)
  const { all, last, own } = tallyOf(stream.id)
  const name = toPlainText(stream.name)
  const path = last ? (tree.value?.getPath(last.streamId) ?? []) : []
  return (
    <li>
      <div class="row" style={{ '--c': getStreamColour(stream), '--depth': Math.min(depth, 6) }}>
        {children.length > 0 ? (
          <ExpandButton isOpen={isOpen} name={name} onTurn={() => setOpen(!isOpen)} />
        ) : (
          <span class="turn" />
        )}
        <i class="dot" />
        <AppLink to={{ page: 'streams', id: stream.id }} class="name">
          {name}
        </AppLink>
        <span class="count num">
          {all > 0 && formatNumber(all)}
          {all > own && own > 0 && <small>{t('streams.ownCount', { count: formatNumber(own) })}</small>}
        </span>
        <span class="latest num">
          {last && (
            <>
              <b>{formatContent(last.type, last.latest, { isGlucose: isGlucose(path) })}</b>
              <small>{formatDateTime(last.last)}</small>
            </>
          )}
        </span>
        {isOwner && (
          <Menu label={t('streams.actions', { stream: name })} button={<Icon name="more" />}>
            <button type="button" onClick={() => openAddDialog({ streamId: stream.id })}>
              <Icon name="note" />
              {t('streams.addEvent')}
            </button>
            <ActionButtons stream={stream} onDoing={onDoing} />
          </Menu>
        )}
      </div>
      {isOpen && children.length > 0 && (
        <ul>
          {children.map(child => (
            <Branch key={child.id} stream={child} depth={depth + 1} tallyOf={tallyOf} onDoing={onDoing} />
          ))}
        </ul>
      )}
    </li>
  )
}
