/** The header of the timeline: visible period, spans, earlier and later, lanes. */
import type { ComponentChildren } from 'preact'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import type { View } from '../lanes/view.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import { StepButtons } from '../parts/step-buttons.js'
import { Tabs } from '../parts/tabs.js'
import { getNow, type TimelineModel } from './model.js'
import type { LanePlan } from '../lanes/plan-lane.js'
import { findPreset, presets, createPresetView, stepView, type Preset } from './presets.js'
import { createTitle } from './titles.js'

interface Props {
  readonly model: TimelineModel
  /** The range of all data. */
  readonly whole: View | undefined
  readonly plans: readonly LanePlan[]
  /** Chooses whose data is shown. */
  readonly whose: ComponentChildren
  readonly onChoose: () => void
  readonly onLanes: (ids: readonly string[]) => void
}

/**
 * Shows the header. Buttons change the view of `model`; a click on a lane's name hides the lane, by `onLanes`.
 */
export function TimelineHeader({ model, whole, plans, whose, onChoose, onLanes }: Props) {
  const account = useAccount()
  const view = useStore(model.view)
  const { zones } = model
  const { detail, main } = createTitle(view, whole, zones, getNow())
  const preset = findPreset(view, whole)
  const show = (newPreset: Preset): void => {
    if (newPreset === 'all') return whole && model.show(whole)
    // Keeps the present visible if it is, otherwise the cursor.
    const hasNow = view.from <= getNow() && getNow() <= view.to
    model.show(
      createPresetView(
        newPreset,
        hasNow && model.at.value === undefined ? getNow() : Math.min(model.placedCursor, view.to - 1),
        zones
      )
    )
  }
  const showToday = (): void => {
    const length = preset === undefined || preset === 'all' ? 'month' : preset
    model.show(createPresetView(length, getNow(), zones))
  }
  return (
    <header class="head">
      <div class="title">
        <h1 aria-live="polite">{main}</h1>
        <p class="when num">{detail}</p>
        {whose}
      </div>
      <Tabs
        label={t('span.label')}
        choices={presets}
        chosen={preset}
        textOf={each => t(`span.${each}`)}
        onChoose={show}
      />
      <StepButtons
        onEarlier={() => model.show(stepView(view, -1, zones))}
        onLater={() => model.show(stepView(view, 1, zones))}
        more={
          <Menu class="square" label={t('timeline.lanes')} button={<Icon name="more" />}>
            <button type="button" onClick={onChoose}>
              <Icon name="lines" />
              {t('timeline.chooseLanes')}
            </button>
            <button type="button" onClick={() => model.zoom(0.5)}>
              <Icon name="plus" />
              {t('shell.zoomIn')}
            </button>
            <button type="button" onClick={() => model.zoom(2)}>
              <Icon name="minus" />
              {t('shell.zoomOut')}
            </button>
            <button type="button" onClick={() => print()}>
              <Icon name="print" />
              {t('timeline.print')}
            </button>
          </Menu>
        }
      >
        {account.isOwner && (
          <AppLink to={{ page: 'report' }} class="square" label={t('shell.printReport')}>
            <Icon name="print" />
          </AppLink>
        )}
        <button type="button" class="square today" onClick={showToday}>
          {t('shell.today')}
        </button>
      </StepButtons>
      <ul class="chips" aria-label={t('timeline.lanes')}>
        {plans.map(({ colour, id, name }) => (
          <li key={id}>
            <button
              type="button"
              aria-label={`${t('timeline.hide')}: ${name}`}
              onClick={() => onLanes(plans.map(plan => plan.id).filter(each => each !== id))}
            >
              <i class="dot" style={{ '--c': colour }} />
              {name}
              <Icon name="close" />
            </button>
          </li>
        ))}
        <li>
          <button type="button" onClick={onChoose}>
            <Icon name="plus" />
            {t('timeline.lanes')}
          </button>
        </li>
      </ul>
    </header>
  )
}
