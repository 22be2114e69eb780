/** Dialogs that create, rename, move and colour streams. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Form } from '../../parts/form.js'
import { plain } from '../../plain.js'
import { useAccount } from '../data/account.js'
import { colourKey, colourOf, palette } from '../data/colours.js'
import type { Stream } from '../data/model.js'
import { useStore } from '../data/store.js'
import { Dialog } from '../parts/dialog.js'
import { Row } from '../parts/row.js'
import { tell } from '../parts/toast.js'
import { changeStream, trashStream } from './changing.js'
import { idsTo, sightChange } from './sight.js'
import { Names } from './names.js'

/** An action on a stream; without one, on the top level of the tree. */
export interface Doing {
  readonly what: 'create' | 'rename' | 'move' | 'colour' | 'trash' | 'delete'
  readonly stream?: Stream
}

interface Props {
  readonly stream: Stream
  readonly onClose: () => void
}

/** Creates a stream below another one, or at the top level. */
export function Create({
  parent,
  onClose
}: {
  readonly parent: Stream | undefined
  readonly onClose: () => void
}) {
  const account = useAccount()
  return (
    <Dialog
      title={parent ? t('streams.newBelow', { stream: plain(parent.name) }) : t('streams.new')}
      onClose={onClose}
    >
      <Form
        action={t('streams.create')}
        onSubmit={async ({ name = '' }) => {
          const { stream } = await account.client.call<{ stream: Stream }>('streams.create', {
            name: name.trim(),
            parentId: parent?.id ?? null
          })
          await account.readStreams()
          onClose()
          tell(t('streams.created', { stream: plain(stream.name) }), async () => {
            // The new stream is empty: deleting it twice trashes it, then removes it.
            await account.client.call('streams.delete', { id: stream.id })
            await account.client.call('streams.delete', { id: stream.id, mergeEventsWithParent: false })
            await account.readStreams()
          })
        }}
      >
        <NameField />
      </Form>
    </Dialog>
  )
}

export function Rename({ stream, onClose }: Props) {
  const account = useAccount()
  return (
    <Dialog title={t('streams.renameTitle', { stream: plain(stream.name) })} onClose={onClose}>
      <Form
        action={t('shell.rename')}
        onSubmit={async ({ name = '' }) => {
          const undo = await changeStream(account, stream, { name: name.trim() })
          onClose()
          tell(t('streams.renamed'), undo)
        }}
      >
        <NameField name={stream.name} />
      </Form>
    </Dialog>
  )
}

function NameField({ name = '' }: { readonly name?: string }) {
  return (
    <Row name="name" label={t('streams.name')}>
      {tied => (
        <div class="line">
          <input {...tied} type="text" required autocomplete="off" autofocus defaultValue={name} />
        </div>
      )}
    </Row>
  )
}

/** Moves a stream in the tree; shows which accesses gain or lose it. */
export function Move({ stream, onClose }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const accesses = useStore(account.accesses)
  const [parentId, setParent] = useState(stream.parentId)
  const own = new Set(tree?.idsBelow(stream.id))
  const { gains, loses } = sightChange(
    accesses,
    idsTo(tree, stream.id),
    [...idsTo(tree, parentId), stream.id],
    Date.now() / 1000
  )
  const choice = (id: string | null, name: string, depth: number) => (
    <label key={id ?? ''} style={{ '--depth': depth }}>
      <input type="radio" name="parent" checked={id === parentId} onChange={() => setParent(id)} />
      {name}
    </label>
  )
  const branch = (each: Stream, depth: number): preact.JSX.Element[] =>
    own.has(each.id) || each.trashed
      ? []
      : [
          choice(each.id, plain(each.name), depth),
          ...each.children.flatMap(child => branch(child, depth + 1))
        ]
  return (
    <Dialog title={t('streams.moveTitle', { stream: plain(stream.name) })} onClose={onClose}>
      <Form
        action={t('streams.move')}
        onSubmit={async () => {
          if (parentId === stream.parentId) return onClose()
          const undo = await changeStream(account, stream, { parentId })
          onClose()
          tell(t('streams.moved'), undo)
        }}
      >
        <fieldset class="places">
          <legend>{t('streams.moveTo')}</legend>
          <div>
            {choice(null, t('streams.top'), 0)}
            {tree?.roots.flatMap(root => branch(root, 1))}
          </div>
        </fieldset>
        <div role="status">
          {gains.length > 0 && (
            <p class="notice">
              {t('streams.gains')} <Names accesses={gains} />
            </p>
          )}
          {loses.length > 0 && (
            <p class="notice">
              {t('streams.loses')} <Names accesses={loses} />
            </p>
          )}
        </div>
      </Form>
    </Dialog>
  )
}

export function Colour({ stream, onClose }: Props) {
  const account = useAccount()
  const current = colourOf(stream)
  return (
    <Dialog title={t('streams.colourTitle', { stream: plain(stream.name) })} onClose={onClose}>
      <Form
        action={t('shell.save')}
        onSubmit={async ({ colour = '' }) => {
          const undo = await changeStream(account, stream, {
            clientData: { [colourKey]: colour === '' ? null : colour }
          })
          onClose()
          tell(t('streams.colourChanged'), undo)
        }}
      >
        <fieldset class="swatches">
          <legend>{t('streams.colour')}</legend>
          <div>
            {palette.map(name => (
              <label key={name} style={{ '--c': `var(--${name})` }}>
                <input
                  type="radio"
                  name="colour"
                  value={name}
                  defaultChecked={current === `var(--${name})`}
                />
                <i class="dot" />
                {t(`streams.colour.${name}`)}
              </label>
            ))}
          </div>
        </fieldset>
      </Form>
    </Dialog>
  )
}

/** Moves a stream to the trash, and shows a message with undo. */
export async function trash(account: ReturnType<typeof useAccount>, stream: Stream): Promise<void> {
  tell(t('streams.trashed', { stream: plain(stream.name) }), await trashStream(account, stream.id))
}
