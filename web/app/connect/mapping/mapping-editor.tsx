/** Lets the user say what the fields of a waiting body mean, and shows what that gives. Loaded when a body waits. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { explainError, type Message } from '../../../explain-error.js'
import { t } from '../../../language.js'
import { Form } from '../../../parts/form.js'
import { foldText, toPlainText } from '../../../plain-text.js'
import { useAccount } from '../../data/account.js'
import { getMeasureName, type AnyMeasure } from '../../data/measures.js'
import { ReadProblem } from '../../parts/read-problem.js'
import { Skeleton } from '../../parts/skeleton.js'
import { showToast } from '../../parts/toast.js'
import { listFields, toItemPointer, type BodyField } from './body-fields.js'
import { buildMappings, isLocal, type Target } from './build-mapping.js'
import type { Connection } from '../connections.js'
import { FieldChoice } from './field-choice.js'
import { findMissing } from './field-pairs.js'
import { guessMeaning, guessMeasure, guessUnit, type Meaning, type Role } from './guess-mapping.js'
import { MappingPreview } from './mapping-preview.js'
import { ValueTarget } from './value-target.js'

interface Props {
  readonly connection: Connection
  readonly onChanged: () => void
}

/** Maximum number of lists that are offered. */
const maxLists = 20

/**
 * Shows the editor once measures are read. Saving stores the mapping, which the service also applies to the
 * waiting bodies.
 */
export function MappingEditor(props: Props) {
  const { measures: directory } = useAccount()
  const [measures, setMeasures] = useState<readonly AnyMeasure[]>()
  const [problem, setProblem] = useState<Message>()
  useEffect(() => {
    directory.readAll().then(setMeasures, (error: unknown) => setProblem(explainError(error).message))
  }, [directory])
  if (problem !== undefined) return <ReadProblem message={problem} />
  return measures ? <Editor {...props} measures={measures} /> : <Skeleton kind="rows" />
}

/**
 * Shows the fields of the latest waiting body with a guess of what they mean, which the user corrects, and stores the
 * mapping.
 */
function Editor({ connection, measures, onChanged }: Props & { readonly measures: readonly AnyMeasure[] }) {
  const { client } = useAccount()
  const { id, waiting } = connection
  // Bodies that arrive later do not move the fields.
  const [body] = useState(() => waiting.at(-1)?.body)
  const all = useMemo(() => listFields(body), [body])
  const [search, setSearch] = useState('')
  const shown = useMemo(() => (search === '' ? all : listFields(body, search)), [body, search])
  const [meaning, setMeaning] = useState<Meaning>(() => guessMeaning(all.fields, measures))
  const [targets, setTargets] = useState<Readonly<Record<string, Target>>>({})
  /** Fields with a role, which a search may have found beyond those shown at first. */
  const [known, setKnown] = useState<Readonly<Record<string, BodyField>>>({})
  const byName = useMemo(
    () => new Map(measures.toReversed().map(measure => [foldText(getMeasureName(measure)), measure])),
    [measures]
  )
  const fields = [
    ...all.fields,
    ...Object.values(known).filter(({ pointer }) => !all.fields.some(each => each.pointer === pointer))
  ]
  const getTarget = ({ pointer }: BodyField): Target => {
    const given = targets[pointer]
    if (given) return given
    const measure = guessMeasure(pointer, measures)
    return measure ? { name: getMeasureName(measure), unit: guessUnit(pointer, measure) } : { name: '' }
  }
  const findTarget = (field: BodyField): readonly [Target, AnyMeasure | undefined] => {
    const target = getTarget(field)
    return [target, byName.get(foldText(target.name.trim()))]
  }
  const setRole = (field: BodyField, role: Role | ''): void => {
    const others = Object.entries(meaning.roles).filter(
      ([pointer, each]) => pointer !== field.pointer && (role === 'value' || each !== role)
    )
    setKnown({ ...known, [field.pointer]: field })
    setMeaning({
      ...meaning,
      roles: Object.fromEntries(role === '' ? others : [...others, [field.pointer, role]])
    })
  }
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const findMeasure = (wanted: string): AnyMeasure | undefined => measures.find(each => each.id === wanted)
  const mappings = buildMappings(fields, meaning, { findMeasure, findTarget, zone })
  const missing = findMissing(meaning.roles, meaning.list)
  const lists = all.fields.filter(({ kind, count = 0 }) => kind === 'list' && count > 0).slice(0, maxLists)
  const isRootList = Array.isArray(body)
  const isLocalTime = fields.some(field => meaning.roles[field.pointer] === 'time' && isLocal(field))
  const values = fields.filter(
    ({ pointer }) => meaning.roles[pointer] === 'value' && toItemPointer(pointer, meaning.list) !== undefined
  )
  return (
    <div class="mapping">
      {lists.length > 0 && !isRootList && (
        <label class="field">
          {t('connect.map.list')}
          <select
            value={meaning.list ?? ''}
            onChange={event => {
              const list = event.currentTarget.value
              setMeaning({ ...meaning, list: list === '' ? undefined : list })
            }}
          >
            <option value="">{t('connect.map.whole')}</option>
            {lists.map(({ pointer, name, count = 0 }) => (
              <option key={pointer} value={pointer}>
                {t('connect.map.each', { name: name || '[ ]', count })}
              </option>
            ))}
          </select>
        </label>
      )}
      {all.isCut && (
        <label class="field">
          {t('connect.map.search')}
          <input
            type="search"
            value={search}
            maxLength={60}
            onInput={event => setSearch(event.currentTarget.value)}
          />
        </label>
      )}
      <ul class="fields" aria-label={t('connect.map.fields')}>
        {shown.fields.map(field => (
          <FieldChoice
            key={field.pointer}
            field={field}
            role={meaning.roles[field.pointer]}
            isOutside={toItemPointer(field.pointer, meaning.list) === undefined}
            onChange={role => setRole(field, role)}
          />
        ))}
      </ul>
      {shown.isCut && <p class="hint">{t('connect.map.more')}</p>}
      {isLocalTime && <p class="hint">{t('connect.map.zone', { zone: toPlainText(zone) })}</p>}
      {missing && (
        <p class="notice">{t('connect.map.missing', { name: t(`connect.map.role.${missing}`) })}</p>
      )}
      {values.map(field => (
        <ValueTarget
          key={field.pointer}
          field={field}
          target={getTarget(field)}
          measure={findTarget(field)[1]}
          measures={measures}
          hasUnit={Object.values(meaning.roles).includes('unit')}
          onChange={target => setTargets({ ...targets, [field.pointer]: target })}
        />
      ))}
      <MappingPreview connection={connection} mappings={mappings} measures={measures} />
      <Form
        action={t('connect.map.save')}
        onSubmit={async () => {
          if (mappings.length === 0) return showToast(t('connect.map.noValue'))
          const { connection: saved } = await client.call<{ connection: Connection }>('connections.update', {
            id,
            update: { mapping: mappings.length === 1 ? mappings[0] : mappings }
          })
          const missed = countMissed(saved) - countMissed(connection)
          onChanged()
          showToast(
            [
              t('connect.map.stored', { count: waiting.length }),
              ...(missed > 0 ? [t('connect.notUnderstood', { count: missed })] : [])
            ].join('. ')
          )
        }}
      />
    </div>
  )
}

function countMissed({ notUnderstood }: Connection): number {
  return Object.values(notUnderstood).reduce((sum, count) => sum + count, 0)
}
