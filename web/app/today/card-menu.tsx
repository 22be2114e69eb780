/** The menu of a card: adding a value, the goal, its place on the page. */
import { t } from '../../language.js'
import { getMeasureName, type AnyMeasure, type MeasureFact } from '../data/measures.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import { openAddDialog } from '../shell/adding.js'

/** What can be done with a card. */
export interface CardActions {
  /** Opens the dialog of the goal. */
  readonly onGoal: () => void
  /** Removes the card from the page. */
  readonly onHide: () => void
  /** Undefined for the first and the last card. */
  readonly onEarlier: (() => void) | undefined
  readonly onLater: (() => void) | undefined
}

interface Props {
  readonly measure: AnyMeasure
  readonly fact: MeasureFact | undefined
  readonly hasGoal: boolean
  readonly actions: CardActions
}

/** Kinds of measures with numbers for which a goal can be set. */
const goalKinds = new Set(['level', 'sum', 'span'])

/** Shows the menu. The goal only for kinds that can have one; moving only where there is a neighbour. */
export function CardMenu({ measure, fact, hasGoal, actions }: Props) {
  const { onGoal, onHide, onEarlier, onLater } = actions
  const name = getMeasureName(measure)
  return (
    <Menu label={t('today.optionsOf', { name })} button={<Icon name="more" />}>
      <button type="button" onClick={() => openAddDialog(createDraft(measure, fact))}>
        <Icon name="plus" />
        {t('today.addValue')}
      </button>
      {goalKinds.has(measure.kind) && (
        <button type="button" onClick={onGoal}>
          <Icon name="check" />
          {t(hasGoal ? 'today.changeGoal' : 'today.setGoal')}
        </button>
      )}
      <AppLink to={{ page: 'alerts', query: { measure: measure.id } }}>
        <Icon name="bell" />
        {t('today.alert')}
      </AppLink>
      {onEarlier && (
        <button type="button" onClick={onEarlier}>
          <Icon name="up" />
          {t('today.moveEarlier')}
        </button>
      )}
      {onLater && (
        <button type="button" onClick={onLater}>
          <Icon name="down" />
          {t('today.moveLater')}
        </button>
      )}
      <button type="button" onClick={onHide}>
        <Icon name="close" />
        {t('today.hide')}
      </button>
    </Menu>
  )
}

/** Returns what to add to a measure: where its latest value is, or in a stream of its own. */
function createDraft(measure: AnyMeasure, fact: MeasureFact | undefined) {
  const type = fact && !fact.latest.type.startsWith('series:') ? fact.latest.type : measure.types[0]!
  return {
    type,
    ...(fact && type === fact.latest.type
      ? { streamId: fact.latest.streamId }
      : { newStream: { name: getMeasureName(measure), measure: measure.id } })
  }
}
