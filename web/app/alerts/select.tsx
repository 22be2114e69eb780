/** A labelled select. */
interface Props {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly options: readonly Option[]
  readonly onChange?: (value: string) => void
}

type Option = readonly [value: string, label: string, isDisabled?: boolean]

/** Shows a select whose id is its name. Each option is its value, its text, and whether it is disabled. */
export function Select({ name, label, value, options, onChange }: Props) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name} onChange={event => onChange?.(event.currentTarget.value)}>
        {options.map(([each, text, isDisabled = false]) => (
          <option key={each} value={each} selected={each === value} disabled={isDisabled}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
