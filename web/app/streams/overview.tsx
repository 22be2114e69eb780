/** The tree of streams with counts and latest values, and the trash. */
import { useMemo, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { plain } from '../../plain.js'
import { useAccount } from '../data/account.js'
import { colourOf } from '../data/colours.js'
import { isGlucose, shownValue, typeName } from '../data/event-types.js'
import type { Stream } from '../data/model.js'
import { useStore } from '../data/store.js'
import { unitWishes } from '../data/unit-wishes.js'
import { written } from '../data/units.js'
import { Go } from '../parts/go.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import { dayAndTime } from '../parts/time.js'
import { tell } from '../parts/toast.js'
import { Turn } from '../parts/turn.js'
import { add } from '../shell/adding.js'
import { restoreStream, trashStream } from './changing.js'
import type { Doing } from './dialogs.js'
import { DoingButtons, Doings } from './doings.js'
import { talliesOf, type Tally } from './tallies.js'

export function Overview() {
  const account = useAccount()
  const tree = useStore(account.tree)
  const facts = useStore(account.facts)
  useStore(unitWishes)
  const [action, setAction] = useState<Doing>()
  const tallyOf = useMemo(() => (tree ? talliesOf(tree, facts) : undefined), [tree, facts])
  if (!tree || !tallyOf) return <p class="loading">{t('loading')}</p>
  const roots = tree.roots.filter(({ trashed }) => !trashed)
  // Only the topmost trashed streams: those below are restored and deleted with them.
  const trashed = tree.all.filter(
    ({ id, trashed: isTrashed }) => isTrashed && tree.pathOf(id).filter(each => each.trashed).length === 1
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
          <button type="button" class="button primary" onClick={() => add()}>
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
                <Go to={{ page: 'streams', id: stream.id }}>{plain(stream.name)}</Go>
                <Action
                  class="square"
                  label={t('streams.restoreOne', { stream: plain(stream.name) })}
                  onClick={async () => {
                    await restoreStream(account, stream.id)
                    tell(t('streams.restored'), async () => void (await trashStream(account, stream.id)))
                  }}
                >
                  {t('shell.restore')}
                </Action>
                <button
                  type="button"
                  class="square danger"
                  aria-label={t('streams.deleteOne', { stream: plain(stream.name) })}
                  onClick={() => setAction({ what: 'delete', stream })}
                >
                  {t('shell.deletePermanently')}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Doings doing={action} onClose={() => setAction(undefined)} />
    </div>
  )
}

interface BranchProps {
  readonly stream: Stream
  readonly depth: number
  readonly tallyOf: (id: string) => Tally
  readonly onDoing: (action: Doing) => void
}

function Branch({ stream, depth, tallyOf, onDoing }: BranchProps) {
  const { isOwner, tree } = useAccount()
  const children = stream.children.filter(({ trashed }) => !trashed)
  const [isOpen, setOpen] = useState(depth < 2)
  const { all, last, own } = tallyOf(stream.id)
  const name = plain(stream.name)
  const path = last ? (tree.value?.pathOf(last.streamId) ?? []) : []
  return (
    <li>
      <div class="row" style={{ '--c': colourOf(stream), '--depth': Math.min(depth, 6) }}>
        {children.length > 0 ? (
          <Turn isOpen={isOpen} name={name} onTurn={() => setOpen(!isOpen)} />
        ) : (
          <span class="turn" />
        )}
        <i class="dot" />
        <Go to={{ page: 'streams', id: stream.id }} class="name">
          {name}
        </Go>
        <span class="count num">
          {all > 0 && written(all)}
          {all > own && own > 0 && <small>{t('streams.ownCount', { count: written(own) })}</small>}
        </span>
        <span class="latest num">
          {last && (
            <>
              <b>
                {last.latest === undefined || last.type.startsWith('series:')
                  ? typeName(last.type)
                  : shownValue(last.type, last.latest, { isGlucose: isGlucose(path) })}
              </b>
              <small>{dayAndTime(last.last)}</small>
            </>
          )}
        </span>
        {isOwner && (
          <Menu label={t('streams.actions', { stream: name })} button={<Icon name="more" />}>
            <button type="button" onClick={() => add({ streamId: stream.id })}>
              <Icon name="note" />
              {t('streams.addEvent')}
            </button>
            <DoingButtons stream={stream} onDoing={onDoing} />
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
