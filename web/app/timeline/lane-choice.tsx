/** Dialog that chooses the streams shown as lanes. */
import { useState } from 'preact/hooks'
import { getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import { useStore } from '../data/store.js'
import { Dialog } from '../parts/dialog.js'
import { maxLanes, planLane } from '../lanes/plan-lane.js'

interface Props {
  readonly chosen: readonly string[]
  readonly onChosen: (ids: readonly string[]) => void
  readonly onClose: () => void
}

export function LaneChoice({ chosen, onChosen, onClose }: Props) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const facts = useStore(account.facts)
  const [ids, setIds] = useState(chosen)
  const rows = (tree?.all ?? [])
    .filter(({ trashed }) => trashed !== true)
    .map(stream => ({
      stream,
      depth: tree!.getPath(stream.id).length - 1,
      plan: planLane(stream, tree!, facts)
    }))
    .filter(({ plan }) => plan !== undefined)
  const toggle = (id: string, isOn: boolean): void => {
    const newIds = isOn ? [...ids, id] : ids.filter(each => each !== id)
    setIds(newIds)
    onChosen(newIds)
  }
  return (
    <Dialog title={t('timeline.chooseLanes')} onClose={onClose}>
      <p class="hint">{t('timeline.chooseHint', { count: maxLanes })}</p>
      <ul class="timeline-choice">
        {rows.map(({ depth, plan, stream }) => {
          const isOn = ids.includes(stream.id)
          return (
            <li key={stream.id} style={{ '--depth': String(depth) }}>
              <label>
                <input
                  type="checkbox"
                  checked={isOn}
                  disabled={!isOn && ids.length >= maxLanes}
                  onChange={event => toggle(stream.id, event.currentTarget.checked)}
                />
                <i class="dot" style={{ '--c': getStreamColour(stream) }} />
                <span>{toPlainText(stream.name)}</span>
                <small class="num">{new Intl.NumberFormat(getLocale()).format(plan!.count)}</small>
              </label>
            </li>
          )
        })}
      </ul>
      <div class="actions">
        <button type="button" class="button primary" onClick={onClose}>
          {t('timeline.done')}
        </button>
      </div>
    </Dialog>
  )
}
