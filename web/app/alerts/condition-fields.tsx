/** The fields of a condition, which depend on its kind. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getUnitSymbol } from '../data/format-values.js'
import { useStore } from '../data/store.js'
import { getAccessName } from '../parts/access-name.js'
import { getFieldText, getKind, type ConditionField, type KindName, type Sender } from './condition-kinds.js'
import type { Condition } from './rules.js'
import { PlaceButton } from './place-button.js'
import { Select } from './select.js'

interface Props {
  readonly name: KindName
  /** The event type of numbers. */
  readonly unit: string | undefined
  readonly condition: Condition | undefined
}

/** Shows the fields, filled from `condition`; the form that contains them reads and stores the values. */
export function ConditionFields({ condition, name, unit }: Props) {
  const { fields, senders } = getKind(name)
  const symbol = unit === undefined ? '' : getUnitSymbol(unit)
  return (
    <>
      {senders && <SenderField name={name} condition={condition} />}
      {name === 'looked' && <p class="hint">{t('alerts.aboutLooked')}</p>}
      {fields.map(field => (
        <OneField
          key={field.name}
          field={field}
          value={getFieldText(field, condition)}
          symbol={field.isOfMeasure ? symbol : ''}
        />
      ))}
      {name === 'place' && <PlaceButton />}
    </>
  )
}

interface OneProps {
  readonly field: ConditionField
  readonly value: string
  /** The unit of the number. */
  readonly symbol: string
}

/** Shows one field of a condition, by what it takes. `symbol`: the unit of the measure; empty without one. */
function OneField({ field, symbol, value }: OneProps) {
  const { factor, input, isOfMeasure, isOptional = false, name, options } = field
  if (options)
    return (
      <Select
        name={name}
        label={t(`alerts.field.${name as 'direction' | 'range'}`)}
        value={value}
        options={options.map(option => [option, t(`alerts.option.${option}`)] as const)}
      />
    )
  if (input === 'words')
    return (
      <Field
        name={name}
        label={t('alerts.words')}
        hint={t('alerts.wordsHint')}
        input={{ defaultValue: value }}
      />
    )
  if (input === 'time')
    return <Field name={name} label={t('alerts.by')} input={{ type: 'time', defaultValue: value }} />
  const label = isOfMeasure
    ? symbol === ''
      ? t('alerts.value')
      : t('alerts.valueIn', { unit: symbol })
    : name === 'for'
      ? t(factor === 60 ? 'alerts.minutes' : 'alerts.hours')
      : t(`alerts.field.${name as 'latitude' | 'longitude' | 'radius' | 'within'}`)
  return <NumberField name={name} label={label} value={value} isOptional={isOptional} />
}

interface NumberProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly isOptional: boolean
}

/** A field for a number with decimals. */
export function NumberField({ name, label, value, isOptional }: NumberProps) {
  const input = {
    type: 'number',
    step: 'any',
    inputMode: 'decimal',
    required: !isOptional,
    defaultValue: value
  }
  return <Field name={name} label={label} input={input as object} />
}

interface SenderProps {
  readonly name: KindName
  readonly condition: Condition | undefined
}

/** Chooses where data comes from, or who reads. */
function SenderField({ condition, name }: SenderProps) {
  const account = useAccount()
  const accesses = useStore(account.accesses)
  const tree = useStore(account.tree)
  const [chosen, setChosen] = useState<string>()
  const [connections, setConnections] = useState<readonly { readonly id: string; readonly name: string }[]>(
    []
  )
  useEffect(() => {
    account.client.call<{ connections: typeof connections }>('connections.get').then(
      found => setConnections(found.connections),
      // Connections may be turned off on this service.
      () => undefined
    )
  }, [account])
  const { isAnySender, senders = [] } = getKind(name)
  const list: Readonly<Record<Sender, () => readonly (readonly [id: string, name: string])[]>> = {
    connectionId: () => connections.map(each => [each.id, each.name]),
    accessId: () =>
      accesses
        .filter(({ type }) => type !== 'personal')
        .map(each => [each.id, getAccessName(each.id, accesses, account.info.id)]),
    streamId: () =>
      (tree?.roots ?? []).flatMap(root => [root, ...root.children]).map(each => [each.id, each.name])
  }
  const options = senders.flatMap(sender =>
    list[sender]().map(([id, text]) => [`${sender}:${id}`, toPlainText(text)] as const)
  )
  const member = senders.find(sender => condition?.[sender] !== undefined)
  const value = member ? `${member}:${condition?.[member]}` : ''
  // What is chosen may have been removed.
  const isMissing = value !== '' && options.every(([each]) => each !== value)
  const shown = isAnySender && (chosen ?? value) === '' ? undefined : (chosen ?? value)
  const named = options.find(([each]) => each === shown) ?? (shown === '' ? options[0] : undefined)
  return (
    <>
      <Select
        onChange={setChosen}
        name="sender"
        label={t(name === 'looked' ? 'alerts.field.who' : 'alerts.field.sender')}
        value={value}
        options={[
          ...(isAnySender ? [['', t('alerts.anyone')] as const] : []),
          ...(isMissing ? [[value, t('data.someone')] as const] : []),
          ...options
        ]}
      />
      {named && <input type="hidden" name="senderName" value={named[1]} />}
    </>
  )
}
