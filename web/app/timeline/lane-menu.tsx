/** The menu of a lane. */
import { t } from '../../language.js'
import { getMeasureLaneId } from '../lanes/plan-measure.js'
import type { LanePlan } from '../lanes/plan-lane.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { Menu } from '../parts/menu.js'
import { OwnerOnly } from '../parts/owner-only.js'
import { openAddDialog } from '../shell/adding.js'

interface Props {
  readonly plan: LanePlan
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly onHide: () => void
  readonly onMove: (by: 1 | -1) => void
  /** Shows these lanes instead. */
  readonly onReplace: (ids: readonly string[]) => void
  readonly onSources: () => void
  readonly onTable: () => void
}

/** Shows the menu. Adding is only for the owner, sources only for measures with several. */
export function LaneMenu({ plan, isFirst, isLast, onHide, onMove, onReplace, onSources, onTable }: Props) {
  const { measure, name, stream, streamIds, types } = plan
  const streams = measure ? [...new Set(measure.sources.map(({ streamId }) => streamId))] : []
  return (
    <Menu label={t('timeline.laneMenu', { name })} button={<Icon name="more" />}>
      <AppLink to={{ page: 'streams', id: stream.id }}>
        <Icon name="tree" />
        {t('timeline.open')}
      </AppLink>
      <OwnerOnly>
        <button
          type="button"
          onClick={() => openAddDialog({ streamId: streamIds[0] ?? stream.id, type: types[0]! })}
        >
          <Icon name="plus" />
          {t('timeline.addValue', { name })}
        </button>
      </OwnerOnly>
      <button type="button" onClick={onTable}>
        <Icon name="table" />
        {t('timeline.table')}
      </button>
      {measure && (
        <button type="button" onClick={onSources}>
          <Icon name="people" />
          {t('timeline.sources')}
        </button>
      )}
      {measure && streams.length > 1 && (
        <button
          type="button"
          onClick={() =>
            onReplace(
              measure.only === undefined
                ? streams.map(id => getMeasureLaneId(measure.definition.id, id))
                : [getMeasureLaneId(measure.definition.id)]
            )
          }
        >
          <Icon name="lines" />
          {t(measure.only === undefined ? 'timeline.single' : 'timeline.merged')}
        </button>
      )}
      {!isFirst && (
        <button type="button" onClick={() => onMove(-1)}>
          <Icon name="up" />
          {t('timeline.up')}
        </button>
      )}
      {!isLast && (
        <button type="button" onClick={() => onMove(1)}>
          <Icon name="down" />
          {t('timeline.down')}
        </button>
      )}
      <button type="button" onClick={onHide}>
        <Icon name="close" />
        {t('timeline.hide')}
      </button>
    </Menu>
  )
}
