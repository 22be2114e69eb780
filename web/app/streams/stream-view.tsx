/** One stream: chart, contents, latest events, and who may see it. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import { useStore } from '../data/store.js'
import { displayUnits } from '../data/display-units.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import { Skeleton } from '../parts/skeleton.js'
import { buildHref, navigate } from '../route.js'
import { openAddDialog } from '../shell/adding.js'
import { restoreStream } from '../data/update-stream.js'
import { StreamChart } from './stream-chart.js'
import type { StreamAction } from './dialogs.js'
import { ActionButtons, ActionDialog } from './action-dialog.js'
import { EventList } from './event-list.js'
import { ContentsTable } from './contents-table.js'
import { StreamAccesses } from './stream-accesses.js'

interface Props {
  readonly id: string
  readonly query: URLSearchParams
}

/** Shows a stream, and the dialogs of its actions. */
export function StreamView({ id, query }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  useStore(displayUnits)
  const [action, setAction] = useState<StreamAction>()
  const stream = tree?.find(id)
  if (!tree) return <Skeleton kind="page" />
  if (!stream)
    return (
      <div class="empty">
        <h1>{t('streams.unknown')}</h1>
        <p class="lead">{t('streams.unknownLead')}</p>
        <AppLink to={{ page: 'streams' }} class="button">
          {t('streams.toAll')}
        </AppLink>
      </div>
    )
  const path = tree.getPath(id)
  const name = toPlainText(stream.name)
  const trashedAncestor = path.find(({ trashed }) => trashed)
  const children = stream.children.filter(({ trashed }) => !trashed)
  return (
    <div class="one" style={{ '--c': getStreamColour(stream) }}>
      <nav class="path" aria-label={t('streams.path')}>
        <AppLink to={{ page: 'streams' }}>{t('shell.streams')}</AppLink>
        {path.slice(0, -1).map(each => (
          <AppLink key={each.id} to={{ page: 'streams', id: each.id }}>
            {toPlainText(each.name)}
          </AppLink>
        ))}
      </nav>
      <header>
        <h1>
          <i class="dot" />
          {name}
        </h1>
        {!trashedAncestor && account.isOwner && (
          <div class="tools">
            <button type="button" class="square" onClick={() => openAddDialog({ streamId: id })}>
              <Icon name="plus" />
              {t('streams.addEvent')}
            </button>
            <Menu class="square" label={t('streams.actions', { stream: name })} button={<Icon name="more" />}>
              <ActionButtons stream={stream} onDoing={setAction} />
            </Menu>
          </div>
        )}
      </header>
      {trashedAncestor && (
        <div class="notice">
          {t('streams.inTrash', { stream: toPlainText(trashedAncestor.name) })}
          <div class="tools" hidden={!account.isOwner}>
            <Action class="square" onClick={async () => await restoreStream(account, trashedAncestor.id)}>
              {t('shell.restore')}
            </Action>
            {trashedAncestor.id === id && (
              <button
                type="button"
                class="square danger"
                onClick={() => setAction({ what: 'delete', stream })}
              >
                {t('shell.deletePermanently')}
              </button>
            )}
          </div>
        </div>
      )}
      {!trashedAncestor && <StreamChart stream={stream} query={query} />}
      <ContentsTable stream={stream} />
      {children.length > 0 && (
        <section class="card below">
          <h2>{t('streams.below')}</h2>
          <ul>
            {children.map(child => (
              <li key={child.id} style={{ '--c': getStreamColour(child) }}>
                <AppLink to={{ page: 'streams', id: child.id }}>
                  <i class="dot" />
                  {toPlainText(child.name)}
                </AppLink>
              </li>
            ))}
          </ul>
        </section>
      )}
      <EventList stream={stream} />
      {account.isOwner && <StreamAccesses stream={stream} />}
      <ActionDialog
        doing={action}
        onClose={() => setAction(undefined)}
        onDeleted={() => navigate(buildHref(account.username, { page: 'streams' }))}
      />
    </div>
  )
}
