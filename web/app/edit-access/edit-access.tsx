/** Changes an access: its name, what it may see and do, and when it ends. */
import { useEffect, useId, useState } from 'preact/hooks'
import { Refusal } from '../../api.js'
import { explainError, type Message } from '../../explain-error.js'
import { formatDate, getLocale, t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import type { Access, Level } from '../data/model.js'
import { useStore } from '../data/store.js'
import { Dialog } from '../parts/dialog.js'
import { ReadProblem } from '../parts/read-problem.js'
import { showToast } from '../parts/toast.js'
import { listNarrower, listStreamPermissions, narrowPermissions } from './narrow-permissions.js'

/** The days after which an access can be set to end. */
const lengths = ['1', '7', '30', '90', '365'] as const
/** Maximum number of streams that are listed. */
const maxStreams = 100

interface Props {
  /** The id that the access keeps. */
  readonly id: string
  /** The name as shown, if the user cannot choose it. */
  readonly name: string
  readonly onClose: () => void
  readonly onSaved: () => void
}

/**
 * Shows the dialog. Saving calls `onSaved` and `onClose`; if the access has changed elsewhere, shows its
 * current state to edit again instead.
 */
export function EditAccess({ id, name, onClose, onSaved }: Props) {
  const { client } = useAccount()
  const [access, setAccess] = useState<Access>()
  const [isStale, setStale] = useState(false)
  const [problem, setProblem] = useState<Message>()
  const read = async (): Promise<void> =>
    setAccess((await client.call<{ access: Access }>('accesses.getOne', { id })).access)
  useEffect(() => {
    read().catch((error: unknown) => setProblem(explainError(error).message))
  }, [])
  const save = async (changes: object): Promise<void> => {
    try {
      await client.call('accesses.update', { id: access!.id, update: changes })
    } catch (error) {
      if (!(error instanceof Refusal) || error.id !== 'stale-resource') throw explain(error)
      await read()
      return setStale(true)
    }
    onSaved()
    onClose()
    showToast(t('edit.saved'))
  }
  return (
    <Dialog title={t('edit.title', { name })} onClose={onClose}>
      {problem !== undefined && <ReadProblem message={problem} />}
      {isStale && (
        <p class="notice" role="alert">
          {t('edit.stale')}
        </p>
      )}
      {access && <EditForm key={access.id} access={access} onSave={save} />}
    </Dialog>
  )
}

/** Returns the error with a text for the user. */
function explain(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const data = Object(error.data) as Record<string, unknown>
  if (error.id === 'item-already-exists') return new Refusal('edit-name', t('edit.nameTaken'))
  if ('offendingChildren' in data) return new Refusal('edit-children', t('edit.children'))
  if ('parentExpires' in data) return new Refusal('edit-end', t('edit.tooLong'))
  if ('managingAccessId' in data) return new Refusal('edit-wide', t('edit.tooWide'))
  return error
}

interface FormProps {
  readonly access: Access
  readonly onSave: (changes: object) => Promise<void>
}

/** Changes the name, permissions and end of an access. Permissions can only be narrowed, and not all removed. */
function EditForm({ access, onSave }: FormProps) {
  const tree = useStore(useAccount().tree)
  const [levels, setLevels] = useState<ReadonlyMap<string, Level>>(new Map())
  const [end, setEnd] = useState('same')
  const permissions = listStreamPermissions(access.permissions)
  const submit = async (values: Values): Promise<void> => {
    const left = narrowPermissions(
      access.permissions,
      levels,
      streamId => tree?.getPath(streamId).map(each => each.id) ?? []
    )
    if (!left.some(each => 'streamId' in each && each.level !== 'none'))
      throw new Refusal('edit-nothing', t('edit.nothingLeft'))
    const name = values['name']?.trim()
    await onSave({
      ...(name !== undefined && name !== access.name && { name }),
      ...(levels.size > 0 && { permissions: left }),
      ...(end !== 'same' && { expireAfter: toExpireAfter(end, values['date']) })
    })
  }
  return (
    <Form action={t('edit.save')} onSubmit={submit}>
      {access.type === 'shared' && (
        <Field
          name="name"
          label={t('edit.name')}
          input={{ autocomplete: 'off', maxLength: 100, defaultValue: access.name }}
        />
      )}
      {permissions.slice(0, maxStreams).map(({ level, streamId }) => (
        <Choice
          key={streamId}
          label={streamId === '*' ? t('shell.allData') : toPlainText(tree?.find(streamId)?.name ?? streamId)}
          value={levels.get(streamId) ?? level}
          options={listNarrower(level).map(each => [each, t(`shell.level.${each}`)])}
          onChange={value => setLevels(new Map(levels).set(streamId, value as Level))}
        />
      ))}
      <p class="hint">{t('edit.narrowHint')}</p>
      {!access.oauth && (
        <Choice label={t('edit.end')} value={end} options={listEnds(access)} onChange={setEnd} />
      )}
      {end === 'date' && <Field name="date" label={t('edit.lastDay')} input={{ type: 'date' }} />}
    </Form>
  )
}

/** Lists the choices of when an access ends. */
function listEnds({ expires }: Access): (readonly [string, string])[] {
  const now = Date.now() / 1000
  const same =
    typeof expires === 'number'
      ? t(expires > now ? 'edit.keepEnd' : 'edit.ended', { date: formatDate(expires) })
      : t('edit.noEnd')
  return [
    ['same', same],
    ...lengths.map(days => [days, t('edit.in', { length: formatLength(Number(days)) })] as const),
    ['date', t('edit.onDate')],
    ...(typeof expires === 'number' ? [['never', t('edit.noEnd')] as const] : [])
  ]
}

function formatLength(days: number): string {
  const [value, unit] = days === 365 ? [1, 'year' as const] : [days, 'day' as const]
  return new Intl.NumberFormat(getLocale(), { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

/** Returns the seconds until the end; null for none. A date includes the whole day. */
function toExpireAfter(end: string, date: string | undefined): number | null {
  if (end === 'never') return null
  if (end !== 'date') return Number(end) * 86_400
  const time = new Date(`${date ?? ''}T24:00`).getTime()
  if (!(time > Date.now())) throw new Refusal('edit-past', t('edit.dateInPast'))
  return Math.round((time - Date.now()) / 1000)
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  readonly onChange: (value: string) => void
}

/** Shows a labelled choice. `options`: keys with their texts. */
function Choice({ label, onChange, options, value }: ChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={event => onChange(event.currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
