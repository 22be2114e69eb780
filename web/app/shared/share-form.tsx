/** Creates a shared link, which shows streams to anyone who has it, or a token for an app. */
import { useId, useState } from 'preact/hooks'
import { Refusal } from '../../api.js'
import { getLocale, t } from '../../language.js'
import { Form, type Values } from '../../parts/form.js'
import { Field } from '../../parts/field.js'
import { useAccount, type Account } from '../data/account.js'
import type { Access, Level } from '../data/model.js'
import { useStore } from '../data/store.js'
import { formatTime } from '../parts/format-time.js'
import { showFailure } from '../parts/toast.js'
import { NewAccess, type ShareKind } from './new-access.js'
import { StreamChoice } from './stream-choice.js'

/** Available expiries, in days. */
const expiries = ['1', '7', '30', '90', '365', 'date', 'never'] as const
type Expiry = (typeof expiries)[number]
const levels: readonly Level[] = ['read', 'create-only', 'contribute', 'manage']

/**
 * Shows the form, then the new access once it is created. Nothing chosen, a past date or a taken name is
 * refused with a message.
 */
export function ShareForm() {
  const account = useAccount()
  const [kind, setKind] = useState<ShareKind>('link')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [level, setLevel] = useState<Level>('read')
  const [expiry, setExpiry] = useState<Expiry>('30')
  const [isNameHidden, setNameHidden] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const [created, setCreated] = useState<Access>()
  if (created)
    return (
      <NewAccess
        access={created}
        kind={kind}
        onDone={() => {
          setCreated(undefined)
          setChosen(new Set())
        }}
      />
    )
  const submit = async ({ name, date }: Values): Promise<void> => {
    setMissing(chosen.size === 0)
    if (chosen.size === 0) throw new Refusal('shared-nothing', t('shared.chooseStreams'))
    const expireAfter = toExpireAfter(expiry, date)
    const permissions = [...chosen].map(streamId => ({
      streamId,
      level: kind === 'link' ? ('read' as const) : level
    }))
    const access = await createAccess(account, {
      type: kind === 'link' ? 'shared' : 'app',
      name: name!.trim(),
      permissions,
      ...(isNameHidden && { randomAlias: true }),
      ...(expireAfter === undefined ? {} : { expireAfter })
    })
    account.readAccesses().catch(showFailure)
    setCreated(access)
  }
  return (
    <Form action={t(kind === 'link' ? 'shared.createLink' : 'shared.createToken')} onSubmit={submit}>
      <StreamChoice
        chosen={chosen}
        onChange={newChoice => {
          setChosen(newChoice)
          setMissing(false)
        }}
        problem={isMissing ? t('shared.chooseStreams') : undefined}
      />
      <Choice
        label={t('shared.withWhom')}
        value={kind}
        onChange={value => setKind(value as ShareKind)}
        options={[
          ['link', t('shared.anyoneWithLink')],
          ['app', t('shared.anApp')]
        ]}
      />
      <Field
        name="name"
        label={t(kind === 'link' ? 'shared.forWhom' : 'shared.whichApp')}
        hint={t('shared.nameHint')}
        input={{ autocomplete: 'off', maxLength: 100 }}
      />
      {kind === 'app' && (
        <Choice
          label={t('shared.permission')}
          value={level}
          onChange={value => setLevel(value as Level)}
          options={levels.map(each => [each, t(`level.${each}`)])}
        />
      )}
      <Choice
        label={t('shared.expiry')}
        value={expiry}
        onChange={value => setExpiry(value as Expiry)}
        options={expiries.map(each => [each, getExpiryName(each)])}
      />
      {expiry === 'date' && (
        <Field
          name="date"
          label={t('shared.lastDay')}
          input={{ type: 'date', defaultValue: addDays(30).toISOString().slice(0, 10) }}
        />
      )}
      <div class="field">
        <label class="tick">
          <input
            type="checkbox"
            checked={isNameHidden}
            aria-describedby="hides-name-hint"
            onChange={event => setNameHidden(event.currentTarget.checked)}
          />
          {t('shared.hideUsername')}
        </label>
        <p class="hint" id="hides-name-hint">
          {t('shared.hideUsernameHint')}
        </p>
      </div>
      {expiry === 'never' && <p class="notice">{t('shared.noEndWarning')}</p>}
      <Preview chosen={chosen} isRead={kind === 'link' || level !== 'create-only'} />
    </Form>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  readonly onChange: (value: string) => void
}

/** Shows a labelled choice. `options`: keys with their texts. */
function Choice({ label, value, options, onChange }: ChoiceProps) {
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

/** Previews how much data would be visible. */
function Preview({ chosen, isRead }: { readonly chosen: ReadonlySet<string>; readonly isRead: boolean }) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const facts = useStore(account.facts)
  if (chosen.size === 0 || !isRead) return null
  const ids = new Set([...chosen].flatMap(id => tree?.listSubtreeIds(id) ?? []))
  const visibleFacts = facts.filter(({ streamId }) => ids.has(streamId))
  const count = visibleFacts.reduce((sum, fact) => sum + fact.shownCount, 0)
  const since = Math.min(...visibleFacts.map(({ first }) => first))
  return (
    <p class="hint num outlook">
      {count === 0
        ? t('shared.previewEmpty')
        : t('shared.preview', {
            count,
            since: formatTime(since, { month: 'long', year: 'numeric' })
          })}
    </p>
  )
}

function getExpiryName(expiry: Expiry): string {
  if (expiry === 'date') return t('shared.onDate')
  if (expiry === 'never') return t('shared.noExpiry')
  const days = Number(expiry)
  const [value, unit] = days === 365 ? [1, 'year' as const] : [days, 'day' as const]
  const text = new Intl.NumberFormat(getLocale(), { style: 'unit', unit, unitDisplay: 'long' }).format(value)
  return t('shared.lengthTo', {
    length: text,
    date: formatTime(addDays(days).getTime() / 1000, { dateStyle: 'medium' })
  })
}

function addDays(days: number): Date {
  return new Date(Date.now() + days * 86_400_000)
}

/** Returns the seconds until expiry; undefined if there is none. A date includes the whole day. */
function toExpireAfter(expiry: Expiry, date: string | undefined): number | undefined {
  if (expiry === 'never') return undefined
  if (expiry !== 'date') return Number(expiry) * 86_400
  const end = new Date(`${date ?? ''}T24:00`).getTime()
  if (!(end > Date.now())) throw new Refusal('shared-past', t('shared.dateInPast'))
  return Math.round((end - Date.now()) / 1000)
}

/** Creates an access. Rejects with a specific error if its name is taken. */
async function createAccess({ client }: Account, params: object): Promise<Access> {
  try {
    return (await client.call<{ access: Access }>('accesses.create', params)).access
  } catch (error) {
    if (error instanceof Refusal && error.id === 'item-already-exists')
      throw new Refusal('shared-name', t('shared.nameTaken'))
    throw error
  }
}
