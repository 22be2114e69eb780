/** One stream: chart, contents, latest events, and who may see it. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { plain } from '../../plain.js'
import { useAccount } from '../data/account.js'
import { colourOf } from '../data/colours.js'
import { useStore } from '../data/store.js'
import { unitWishes } from '../data/unit-wishes.js'
import { Go } from '../parts/go.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import { hrefTo, visit } from '../route.js'
import { add } from '../shell/adding.js'
import { restoreStream } from './changing.js'
import { StreamChart } from './chart.js'
import type { Doing } from './dialogs.js'
import { DoingButtons, Doings } from './doings.js'
import { EventList } from './event-list.js'
import { FactTable } from './fact-table.js'
import { Seers } from './seers.js'

interface Props {
  readonly id: string
  readonly query: URLSearchParams
}

export function OneStream({ id, query }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  useStore(unitWishes)
  const [action, setAction] = useState<Doing>()
  const stream = tree?.find(id)
  if (!tree) return <p class="loading">{t('loading')}</p>
  if (!stream)
    return (
      <div class="empty">
        <h1>{t('streams.unknown')}</h1>
        <p class="lead">{t('streams.unknownLead')}</p>
        <Go to={{ page: 'streams' }} class="button">
          {t('streams.toAll')}
        </Go>
      </div>
    )
  const path = tree.pathOf(id)
  const name = plain(stream.name)
  const trashedAncestor = path.find(({ trashed }) => trashed)
  const children = stream.children.filter(({ trashed }) => !trashed)
  return (
    <div class="one" style={{ '--c': colourOf(stream) }}>
      <nav class="path" aria-label={t('streams.path')}>
        <Go to={{ page: 'streams' }}>{t('shell.streams')}</Go>
        {path.slice(0, -1).map(each => (
          <Go key={each.id} to={{ page: 'streams', id: each.id }}>
            {plain(each.name)}
          </Go>
        ))}
      </nav>
      <header>
        <h1>
          <i class="dot" />
          {name}
        </h1>
        {!trashedAncestor && account.isOwner && (
          <div class="tools">
            <button type="button" class="square" onClick={() => add({ streamId: id })}>
              <Icon name="plus" />
              {t('streams.addEvent')}
            </button>
            <Menu class="square" label={t('streams.actions', { stream: name })} button={<Icon name="more" />}>
              <DoingButtons stream={stream} onDoing={setAction} />
            </Menu>
          </div>
        )}
      </header>
      {trashedAncestor && (
        <div class="notice">
          {t('streams.inTrash', { stream: plain(trashedAncestor.name) })}
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
      <FactTable stream={stream} />
      {children.length > 0 && (
        <section class="card below">
          <h2>{t('streams.below')}</h2>
          <ul>
            {children.map(child => (
              <li key={child.id} style={{ '--c': colourOf(child) }}>
                <Go to={{ page: 'streams', id: child.id }}>
                  <i class="dot" />
                  {plain(child.name)}
                </Go>
              </li>
            ))}
          </ul>
        </section>
      )}
      <EventList stream={stream} />
      {account.isOwner && <Seers stream={stream} />}
      <Doings
        doing={action}
        onClose={() => setAction(undefined)}
        onDeleted={() => visit(hrefTo(account.username, { page: 'streams' }))}
      />
    </div>
  )
}
