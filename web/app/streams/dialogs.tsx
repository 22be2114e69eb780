/** Dialogs that create, rename, move and colour streams. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Form } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { colourKey, getStreamColour, palette } from '../data/stream-colours.js'
import type { Stream } from '../data/model.js'
import { useStore } from '../data/store.js'
import { Dialog } from '../parts/dialog.js'
import { FormRow } from '../parts/form-row.js'
import { showToast } from '../parts/toast.js'
import { updateStream, trashStream } from '../data/update-stream.js'
import { getPathIds, compareAudience } from './audience.js'
import { AccessNames } from './access-names.js'

/** An action on a stream; without one, on the top level of the tree. */
export interface StreamAction {
  readonly what: 'create' | 'rename' | 'move' | 'measure' | 'colour' | 'trash' | 'delete'
  readonly stream?: Stream
}

interface Props {
  readonly stream: Stream
  readonly onClose: () => void
}

/** Creates a stream below another one, or at the top level. The message afterwards offers undo. */
export function CreateDialog({
  parent,
  onClose
}: {
  readonly parent: Stream | undefined
  readonly onClose: () => void
}) {
  const account = useAccount()
  return (
    <Dialog
      title={parent ? t('streams.newBelow', { stream: toPlainText(parent.name) }) : t('streams.new')}
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
          showToast(t('streams.created', { stream: toPlainText(stream.name) }), async () => {
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

/** Renames the stream, with a toast that can undo it. */
export function RenameDialog({ stream, onClose }: Props) {
  const account = useAccount()
  return (
    <Dialog title={t('streams.renameTitle', { stream: toPlainText(stream.name) })} onClose={onClose}>
      <Form
        action={t('shell.rename')}
        onSubmit={async ({ name = '' }) => {
          const undo = await updateStream(account, stream, { name: name.trim() })
          onClose()
          showToast(t('streams.renamed'), undo)
        }}
      >
        <NameField name={stream.name} />
      </Form>
    </Dialog>
  )
}

function NameField({ name = '' }: { readonly name?: string }) {
  return (
    <FormRow name="name" label={t('streams.name')}>
      {controlProps => (
        <div class="line">
          <input {...controlProps} type="text" required autocomplete="off" autofocus defaultValue={name} />
        </div>
      )}
    </FormRow>
  )
}

/** Moves a stream in the tree; shows which accesses gain or lose it. */
export function MoveDialog({ stream, onClose }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const accesses = useStore(account.accesses)
  const [parentId, setParent] = useState(stream.parentId)
  const own = new Set(tree?.listSubtreeIds(stream.id))
  const { gains, loses } = compareAudience(
    accesses,
    getPathIds(tree, stream.id),
    [...getPathIds(tree, parentId), stream.id],
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
          choice(each.id, toPlainText(each.name), depth),
          ...each.children.flatMap(child => branch(child, depth + 1))
        ]
  return (
    <Dialog title={t('streams.moveTitle', { stream: toPlainText(stream.name) })} onClose={onClose}>
      <Form
        action={t('streams.move')}
        onSubmit={async () => {
          if (parentId === stream.parentId) return onClose()
          const undo = await updateStream(account, stream, { parentId })
          onClose()
          showToast(t('streams.moved'), undo)
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
              {t('streams.gains')} <AccessNames accesses={gains} />
            </p>
          )}
          {loses.length > 0 && (
            <p class="notice">
              {t('streams.loses')} <AccessNames accesses={loses} />
            </p>
          )}
        </div>
      </Form>
    </Dialog>
  )
}

/** Sets the colour of the stream, or restores the default, with a toast that can undo it. */
export function ColourDialog({ stream, onClose }: Props) {
  const account = useAccount()
  const current = getStreamColour(stream)
  return (
    <Dialog title={t('streams.colourTitle', { stream: toPlainText(stream.name) })} onClose={onClose}>
      <Form
        action={t('shell.save')}
        onSubmit={async ({ colour = '' }) => {
          const undo = await updateStream(account, stream, {
            clientData: { [colourKey]: colour === '' ? null : colour }
          })
          onClose()
          showToast(t('streams.colourChanged'), undo)
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

/** Moves a stream to the trash, and shows a message with undo. Rejects with a `Refusal`. */
export async function trashWithToast(account: ReturnType<typeof useAccount>, stream: Stream): Promise<void> {
  showToast(t('streams.trashed', { stream: toPlainText(stream.name) }), await trashStream(account, stream.id))
}
