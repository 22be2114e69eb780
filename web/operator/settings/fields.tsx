/** The form field of a setting: text, number, boolean, choice, or password. */
import { isKey, t } from '../../language.js'
import { Field, Password } from '../../parts/field.js'
import type { Values } from '../../parts/form.js'
import { SelectField } from '../../parts/select-field.js'
import { describeOrigin, type Setting } from './model.js'

/** Size of one unit of the field, in units of the setting. */
const unitSizes: Readonly<Record<string, number>> = {
  'auth.sessionMaxAge': 86_400,
  'quota.bytes': 1_000_000,
  'uploads.maxFileBytes': 1_000_000
}

/** Shows the field of a setting, by its type; disabled if it cannot be changed here. */
export function SettingField({ setting }: { readonly setting: Setting }) {
  const { fixedBy, isEditable, isPending, key } = setting
  const label = getLabel(key)
  const hint = (
    <>
      {fixedBy && <>{describeOrigin(fixedBy)}. </>}
      {isPending && <>{t('settings.afterRestart')} </>}
      <code>{key}</code>
    </>
  )
  if (isPassword(setting) && isEditable)
    return <Password isOptional name={key} label={label} hint={t('settings.keepPassword')} />
  const options = listOptions(setting)
  if (options)
    return (
      <SelectField
        name={key}
        label={label}
        value={toField(setting)}
        options={options}
        hint={hint}
        isDisabled={!isEditable}
      />
    )
  return (
    <Field
      name={key}
      label={label}
      hint={hint}
      input={{
        required: false,
        disabled: !isEditable,
        maxLength: 5000,
        autocomplete: 'off',
        defaultValue: toField(setting),
        ...(typeof setting.value === 'number' && { inputMode: 'numeric' as const })
      }}
    />
  )
}

/**
 * Returns the settings that have been changed in the form, by key. An empty password does not change the
 * stored one.
 */
export function listChanges(settings: readonly Setting[], values: Values): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const setting of settings) {
    const { isEditable, key, value } = setting
    const entered = values[key]
    if (!isEditable || entered === undefined) continue
    if (isPassword(setting) ? entered === '' : entered === toField(setting)) continue
    changed[key] = fromField(key, value, entered.trim())
  }
  return changed
}

/** Returns whether the value of a setting is hidden. The registration setting is secret, too, but shown as a mode. */
function isPassword({ isSecret, value }: Setting): boolean {
  return isSecret && value === undefined
}

function getLabel(key: string): string {
  const text = `settings.of.${key}`
  return isKey(text) ? t(text) : key
}

/** Returns the values of a setting with their texts; `undefined` if it is free. */
function listOptions({
  choices,
  value
}: Setting): readonly (readonly [value: string, label: string])[] | undefined {
  if (typeof value === 'boolean')
    return [
      ['true', t('operator.on')],
      ['false', t('operator.off')]
    ]
  return choices?.map(each => {
    const text = `settings.choice.${each}`
    return [each, isKey(text) ? t(text) : each]
  })
}

function toField(setting: Setting): string {
  const { isStandard, key, value } = setting
  if (isPassword(setting)) return t(isStandard ? 'settings.unset' : 'settings.secret')
  return typeof value === 'number' ? String(value / (unitSizes[key] ?? 1)) : String(value)
}

/** Converts an entry to a value. Invalid numbers are sent as text, for the service to refuse. */
function fromField(key: string, value: unknown, entered: string): unknown {
  if (typeof value === 'boolean') return entered === 'true'
  if (typeof value !== 'number') return entered
  const number = Number(entered.replace(',', '.'))
  return entered === '' || !Number.isFinite(number) ? entered : number * (unitSizes[key] ?? 1)
}
