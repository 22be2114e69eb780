/** A choice between a few options, such as time spans. */

interface Props<T extends string> {
  /** Label for screen readers. */
  readonly label: string
  readonly choices: readonly T[]
  /** Undefined if none of the choices is selected. */
  readonly chosen: T | undefined
  readonly textOf: (choice: T) => string
  readonly onChoose: (choice: T) => void
}

/** Shows a toggle button for each choice; the parent keeps the state. */
export function Tabs<T extends string>({ label, choices, chosen, textOf, onChoose }: Props<T>) {
  return (
    <div class="tabs" role="group" aria-label={label}>
      {choices.map(each => (
        <button key={each} type="button" aria-pressed={each === chosen} onClick={() => onChoose(each)}>
          {textOf(each)}
        </button>
      ))}
    </div>
  )
}
