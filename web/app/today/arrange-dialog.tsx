/** The dialog in which the user arranges the cards: their order, hiding and adding them. */
import { useRef, useState } from 'preact/hooks'
import { getLocale, t } from '../../language.js'
import { foldText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'
import { AppLink } from '../parts/app-link.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icon.js'
import { MeasureIcon } from '../parts/measure-icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { maxCards } from '../data/today-settings.js'

interface Props {
  /** Ids of the measures shown, in order. */
  readonly cards: readonly string[]
  readonly onCards: (cards: readonly string[]) => void
  readonly onClose: () => void
}

/** Maximum number of measures found. */
const maxFound = 30
/** Kinds of which the page shows the events of the day. */
const uncardedKinds = new Set(['text', 'place'])

/** Shows the dialog. Each change is passed to `onCards` at once. Measures that are not known are omitted. */
export default function ArrangeDialog({ cards, onCards, onClose }: Props) {
  const account = useAccount()
  const { read: all, problem } = useReading(async () => await account.measures.readAll())
  const [dragged, setDragged] = useState<string>()
  const list = useRef<HTMLOListElement>(null)
  const find = (id: string): AnyMeasure | undefined => all?.find(each => each.id === id)
  const move = (id: string, to: number): void => {
    const others = cards.filter(each => each !== id)
    onCards([...others.slice(0, to), id, ...others.slice(to)])
  }
  /** Moves a card with a button, which keeps the focus. */
  const step = (id: string, by: number): void => {
    move(id, cards.indexOf(id) + by)
    const label = by < 0 ? 'up' : 'down'
    requestAnimationFrame(() => {
      const row = list.current?.querySelector(`[data-card="${CSS.escape(id)}"]`)
      const button = row?.querySelector<HTMLButtonElement>(`[data-step=${label}]`)
      if (button?.disabled) row?.querySelector<HTMLButtonElement>('[data-step]:not(:disabled)')?.focus()
      else button?.focus()
    })
  }
  return (
    <Dialog title={t('today.arrange')} onClose={onClose}>
      {problem !== undefined && <ReadProblem message={problem} />}
      {!all && problem === undefined && <Skeleton kind="rows" />}
      {all && (
        <div class="arrange">
          <ol ref={list}>
            {cards.map((id, index) => {
              const measure = find(id)
              if (!measure) return null
              const name = getMeasureName(measure)
              return (
                <li
                  key={id}
                  data-card={id}
                  draggable
                  class={dragged === id ? 'dragged' : undefined}
                  onDragStart={() => setDragged(id)}
                  onDragEnd={() => setDragged(undefined)}
                  onDragOver={event => {
                    // Allows dropping.
                    if (dragged !== undefined) event.preventDefault()
                  }}
                  onDrop={event => {
                    event.preventDefault()
                    if (dragged !== undefined && dragged !== id) move(dragged, index)
                  }}
                >
                  <MeasureIcon icon={measure.icon} hue={measure.hue} />
                  <span>{name}</span>
                  <StepButton id={id} name={name} isUp isDisabled={index === 0} onStep={step} />
                  <StepButton
                    id={id}
                    name={name}
                    isUp={false}
                    isDisabled={index === cards.length - 1}
                    onStep={step}
                  />
                  <button
                    type="button"
                    class="round"
                    aria-label={t('today.hideNamed', { name })}
                    onClick={() => onCards(cards.filter(each => each !== id))}
                  >
                    <Icon name="close" />
                  </button>
                </li>
              )
            })}
          </ol>
          <FindMeasure
            measures={all.filter(({ id, kind }) => !cards.includes(id) && !uncardedKinds.has(kind))}
            isFull={cards.length >= maxCards}
            onFound={id => onCards([...cards, id])}
          />
        </div>
      )}
    </Dialog>
  )
}

interface StepProps {
  readonly id: string
  readonly name: string
  readonly isUp: boolean
  readonly isDisabled: boolean
  readonly onStep: (id: string, by: number) => void
}

/** Shows the button that moves a measure up or down. */
function StepButton({ id, name, isUp, isDisabled, onStep }: StepProps) {
  return (
    <button
      type="button"
      class="round"
      data-step={isUp ? 'up' : 'down'}
      aria-label={t(isUp ? 'today.earlierNamed' : 'today.laterNamed', { name })}
      disabled={isDisabled}
      onClick={() => onStep(id, isUp ? -1 : 1)}
    >
      <Icon name={isUp ? 'up' : 'down'} />
    </button>
  )
}

interface FindProps {
  /** The measures that are not shown. */
  readonly measures: readonly AnyMeasure[]
  readonly isFull: boolean
  readonly onFound: (id: string) => void
}

/** Finds measures by name; at first it offers those with data. */
function FindMeasure({ measures, isFull, onFound }: FindProps) {
  const { measureFacts } = useAccount()
  const [query, setQuery] = useState('')
  const words = foldText(query.trim())
  const withData = new Set(measureFacts.value.map(({ measure }) => measure))
  const found = measures
    .filter(measure =>
      words === '' ? withData.has(measure.id) : foldText(getMeasureName(measure)).includes(words)
    )
    .toSorted((a, b) => getMeasureName(a).localeCompare(getMeasureName(b), getLocale()))
    .slice(0, maxFound)
  if (isFull) return <p class="hint">{t('today.full')}</p>
  return (
    <>
      <label class="field">
        <span>{t('today.find')}</span>
        <input
          type="search"
          autocomplete="off"
          value={query}
          onInput={event => setQuery(event.currentTarget.value)}
        />
      </label>
      <ul>
        {found.map(measure => (
          <li key={measure.id}>
            <MeasureIcon icon={measure.icon} hue={measure.hue} />
            <span>{getMeasureName(measure)}</span>
            <button
              type="button"
              class="round"
              aria-label={t('today.showNamed', { name: getMeasureName(measure) })}
              onClick={() => onFound(measure.id)}
            >
              <Icon name="plus" />
            </button>
          </li>
        ))}
      </ul>
      <p>
        <AppLink to={{ page: 'measures' }}>{t('today.ownMeasures')}</AppLink>
      </p>
      {found.length === 0 && words !== '' && (
        <p class="hint" role="status">
          {t('today.notFound', { text: query })}
        </p>
      )}
    </>
  )
}
