/** The contents of a file: for each type and source, where it goes, its values, count and period. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { convertUnit } from '../../../schemas/units.js'
import { rich, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import { isGlucose, formatContent, getTypeName } from '../data/event-types.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { toPointType } from '../data/units.js'
import { formatTime } from '../parts/format-time.js'
import { LaneChoiceDialog } from './lane-choice.js'
import {
  formatStreamPath,
  getChoice,
  getLaneName,
  getMeasureId,
  useMeasures,
  type LaneChoices,
  type Measures
} from './lane-targets.js'
import { formatCount, type Lane, type LaneChoice } from './model.js'

interface Props {
  readonly lanes: readonly Lane[]
  /** Number of records in the file. */
  readonly total: number
  readonly choices: LaneChoices
  /** Absent if nothing can be chosen any more. */
  readonly onChoose: ((key: string, choice: LaneChoice | null) => void) | undefined
}

/** Number of lanes that are shown at first: a file may have thousands. */
const firstLanes = 100

/**
 * Lists the lanes, the first 100 at first. A lane's target can be changed only with `onChoose`, and once
 * measures are read.
 */
export function ImportLanes({ lanes, total, choices, onChoose }: Props) {
  const measures = useMeasures()
  const [openKey, setOpenKey] = useState<string>()
  const [isWhole, setWhole] = useState(false)
  const open = lanes.find(({ key }) => key === openKey)
  return (
    <section class="card found">
      <h2>{t('import.records', { count: total })}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('import.what')}</th>
            <th scope="col">{t('import.values')}</th>
            <th scope="col" class="num">
              {t('import.count')}
            </th>
          </tr>
        </thead>
        <tbody>
          {(isWhole ? lanes : lanes.slice(0, firstLanes)).map(lane => {
            const choice = getChoice(lane, choices)
            const name = getLaneName(lane, measures)
            const isLeftOut = choice?.isLeftOut === true
            return (
              <tr key={lane.key} class={isLeftOut ? 'left-out' : ''}>
                <td>
                  <LaneName
                    lane={lane}
                    name={name}
                    isLeftOut={isLeftOut}
                    onToggle={onChoose && (() => onChoose(lane.key, isLeftOut ? null : { isLeftOut: true }))}
                  />
                  <small>{describeOrigin(lane, name)}</small>
                  <small class="target">
                    <Target lane={lane} choice={choice} measures={measures} />{' '}
                    {onChoose && measures && !isLeftOut && (
                      <button
                        type="button"
                        class="link"
                        aria-label={t('import.changeTarget', { name })}
                        onClick={() => setOpenKey(lane.key)}
                      >
                        {t('import.change')}
                      </button>
                    )}
                  </small>
                </td>
                <td>{formatValues(lane, measures?.find(getMeasureId(lane, choice)))}</td>
                <td class="num">
                  {formatCount(lane.count)}
                  <small>{t(lane.form === 'series' ? 'import.asSeries' : 'import.asEvents')}</small>
                  <small>{formatPeriod(lane)}</small>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {!isWhole && lanes.length > firstLanes && (
        <div class="actions">
          <button type="button" class="button" onClick={() => setWhole(true)}>
            {t('import.showAll', { number: formatCount(lanes.length) })}
          </button>
        </div>
      )}
      {open && onChoose && measures && (
        <LaneChoiceDialog
          lane={open}
          name={getLaneName(open, measures)}
          choice={getChoice(open, choices)}
          measures={measures}
          onChoose={choice => onChoose(open.key, choice)}
          onClose={() => setOpenKey(undefined)}
        />
      )}
    </section>
  )
}

interface NameProps {
  readonly lane: Lane
  readonly name: string
  readonly isLeftOut: boolean
  readonly onToggle: (() => void) | undefined
}

/** The name of a lane, with a checkbox as long as it can be excluded. */
function LaneName({ lane, name, isLeftOut, onToggle }: NameProps) {
  const label = (
    <>
      <i class="dot" style={{ '--c': getStreamColour({ id: lane.key, name: lane.stream }) }} />
      <b>{name}</b>
    </>
  )
  if (!onToggle) return <span class="to">{label}</span>
  return (
    <label class="to">
      <input
        type="checkbox"
        aria-label={t('import.include', { name })}
        checked={!isLeftOut}
        onChange={onToggle}
      />
      {label}
    </label>
  )
}

interface TargetProps {
  readonly lane: Lane
  readonly choice: LaneChoice | null | undefined
  readonly measures: Measures | undefined
}

/** Where the records of a lane go: `into Weight (yours, 308 values)`. */
function Target({ lane, choice, measures }: TargetProps) {
  const tree = useStore(useAccount().tree)
  if (choice?.isLeftOut) return <>{t('import.target.leftOut')}</>
  if (choice?.streamId !== undefined)
    return <>{rich('import.target.stream', { stream: <b>{formatStreamPath(tree, choice.streamId)}</b> })}</>
  // The review does not know yet what it would find.
  if (choice === null && lane.choice) return <>{t('import.asFound')}</>
  const id = getMeasureId(lane, choice)
  const measure = measures?.find(id)
  if (!measures) return null
  if (id === undefined || !measure) return <>{t('import.target.none')}</>
  const measureName = <b>{getMeasureName(measure)}</b>
  const fact = measures.getFact(id)
  return fact ? (
    <>{rich('import.target.yours', { measure: measureName, count: fact.count })}</>
  ) : (
    <>{rich('import.target.new', { measure: measureName })}</>
  )
}

/** Names the source of a lane and, if its measure has another name, what the file calls it. */
function describeOrigin({ source, stream, type }: Lane, name: string): string {
  const own = toPlainText(stream)
  const parts = [...(own === name ? [] : [own]), toPlainText(source)].filter(Boolean)
  const typeName = getTypeName(type)
  return parts.join(' · ') || (typeName === name ? '' : typeName)
}

function formatPeriod({ from, to }: Lane): string {
  const [first, last] = [from, to].map(time => formatTime(time, { year: 'numeric', month: 'short' }))
  return first === last ? first! : `${first} – ${last}`
}

/**
 * Formats values in the unit of their measure: an example and the range of numbers, `61 – 64 kg`; ranges by field if there are
 * several.
 */
function formatValues(lane: Lane, measure: AnyMeasure | undefined): ComponentChildren {
  const { example, max, min, stream, type } = lane
  const stored = toPointType(type)
  const shown = measure?.unit?.shown ?? stored
  const show = (content: unknown): string => {
    const converted =
      typeof content === 'number' ? convertUnit(content, stored, shown, measure?.molarMass) : undefined
    return formatContent(converted === undefined ? stored : shown, converted ?? content, {
      isGlucose: isGlucose([{ id: '', name: stream }])
    })
  }
  if (min === undefined || max === undefined || type.startsWith('position/'))
    return example === undefined ? '' : show(example)
  const whole = formatRange(show(min), show(max))
  if (typeof min === 'number' || typeof max === 'number' || whole !== getTypeName(type))
    return (
      <>
        {whole}
        {typeof example === 'number' && min !== max && (
          <small>{t('import.example', { value: show(example) })}</small>
        )}
      </>
    )
  return Object.keys(min).map(field => (
    <small key={field}>
      {toPlainText(field)} {formatRange(formatCount(min[field]!), formatCount(max[field] ?? min[field]!))}
    </small>
  ))
}

function formatRange(min: string, max: string): string {
  if (min === max) return min
  // Shows the unit once: `61 – 64 kg`.
  const unit = /\u00a0\D+$/.exec(max)?.[0] ?? ''
  return `${unit !== '' && min.endsWith(unit) ? min.slice(0, -unit.length) : min} – ${max}`
}
