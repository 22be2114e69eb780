/** The header of the timeline: visible period, spans, earlier and later, lanes. */
import { t } from '../../language.js'
import { colourOf } from '../data/colours.js'
import { useStore } from '../data/store.js'
import type { View } from '../lanes/scale.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import { Steps } from '../parts/steps.js'
import { Tabs } from '../parts/tabs.js'
import { now, type Model } from './model.js'
import type { Plan } from '../lanes/plan.js'
import { presetOf, presets, presetView, stepped, type Preset } from './presets.js'
import { titleOf } from './titles.js'

interface Props {
  readonly model: Model
  /** The range of all data. */
  readonly whole: View | undefined
  readonly plans: readonly Plan[]
  readonly onChoose: () => void
  readonly onLanes: (ids: readonly string[]) => void
}

export function Head({ model, whole, plans, onChoose, onLanes }: Props) {
  const view = useStore(model.view)
  const { zones } = model
  const { detail, main } = titleOf(view, whole, zones, now())
  const preset = presetOf(view, whole)
  const show = (newPreset: Preset): void => {
    if (newPreset === 'all') return whole && model.show(whole)
    // Keeps the present visible if it is, otherwise the cursor.
    const hasNow = view.from <= now() && now() <= view.to
    model.show(
      presetView(
        newPreset,
        hasNow && model.at.value === undefined ? now() : Math.min(model.resting, view.to - 1),
        zones
      )
    )
  }
  const showToday = (): void => {
    const length = preset === undefined || preset === 'all' ? 'month' : preset
    model.show(presetView(length, now(), zones))
  }
  return (
    <header class="head">
      <div class="title">
        <h1 aria-live="polite">{main}</h1>
        <p class="when num">{detail}</p>
      </div>
      <Tabs
        label={t('span.label')}
        choices={presets}
        chosen={preset}
        textOf={each => t(`span.${each}`)}
        onChoose={show}
      />
      <Steps
        onEarlier={() => model.show(stepped(view, -1, zones))}
        onLater={() => model.show(stepped(view, 1, zones))}
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
        <button type="button" class="square today" onClick={showToday}>
          {t('shell.today')}
        </button>
      </Steps>
      <ul class="chips" aria-label={t('timeline.lanes')}>
        {plans.map(({ name, stream }) => (
          <li key={stream.id}>
            <button
              type="button"
              aria-label={`${t('timeline.hide')}: ${name}`}
              onClick={() => onLanes(plans.map(plan => plan.stream.id).filter(id => id !== stream.id))}
            >
              <i class="dot" style={{ '--c': colourOf(stream) }} />
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
