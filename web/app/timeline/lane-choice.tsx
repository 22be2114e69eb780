/** Dialog that chooses the measures and streams shown as lanes. */
import { useState } from 'preact/hooks'
import { getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { Dialog } from '../parts/dialog.js'
import { maxLanes, planLane, type Contents } from '../lanes/plan-lane.js'

interface Props {
  readonly chosen: readonly string[]
  readonly contents: Contents
  readonly onChosen: (ids: readonly string[]) => void
  readonly onClose: () => void
}

/** A lane to choose. */
interface Row {
  readonly id: string
  readonly name: string
  readonly colour: string
  readonly depth: number
  readonly count: number
}

/**
 * Shows the dialog. Each change is passed to `onChosen` at once; trashed streams and those without data are
 * omitted.
 */
export function LaneChoice({ chosen, contents: { facts, measured, tree }, onChosen, onClose }: Props) {
  const [ids, setIds] = useState(chosen)
  const streams = tree.all
    .filter(({ trashed }) => trashed !== true)
    .flatMap((stream): Row[] => {
      const plan = planLane(stream, tree, facts)
      const depth = tree.getPath(stream.id).length - 1
      return plan ? [{ ...plan, name: toPlainText(stream.name), depth }] : []
    })
  const toggle = (id: string, isOn: boolean): void => {
    const newIds = isOn ? [...ids, id] : ids.filter(each => each !== id)
    setIds(newIds)
    onChosen(newIds)
  }
  const renderRow = ({ colour, count, depth, id, name }: Row) => {
    const isOn = ids.includes(id)
    return (
      <li key={id} style={{ '--depth': String(depth) }}>
        <label>
          <input
            type="checkbox"
            checked={isOn}
            disabled={!isOn && ids.length >= maxLanes}
            onChange={event => toggle(id, event.currentTarget.checked)}
          />
          <i class="dot" style={{ '--c': colour }} />
          <span>{name}</span>
          <small class="num">{new Intl.NumberFormat(getLocale()).format(count)}</small>
        </label>
      </li>
    )
  }
  return (
    <Dialog title={t('timeline.chooseLanes')} onClose={onClose}>
      <p class="hint">{t('timeline.chooseHint', { count: maxLanes })}</p>
      {measured.length > 0 && <h3>{t('timeline.measures')}</h3>}
      <ul class="timeline-choice">{measured.map(plan => renderRow({ ...plan, depth: 0 }))}</ul>
      {measured.length > 0 && <h3>{t('timeline.streams')}</h3>}
      <ul class="timeline-choice">{streams.map(renderRow)}</ul>
      <div class="actions">
        <button type="button" class="button primary" onClick={onClose}>
          {t('timeline.done')}
        </button>
      </div>
    </Dialog>
  )
}
