/** Adds or changes an alert, with a form that reads like a sentence: when, what, and where to send it. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { ChannelChoice } from '../channels/channel-choice.js'
import { useAccount, type Account } from '../data/account.js'
import { getMeasureName, getShownType, type AnyMeasure } from '../data/measures.js'
import { showFailure } from '../parts/toast.js'
import { buildHref, navigate } from '../route.js'
import { WhoseChoice } from '../shell/whose.js'
import { ConditionFields, Select } from './condition-fields.js'
import {
  findCopy,
  findKind,
  getKind,
  hasStreams,
  isOffered,
  isPossible,
  kindNames,
  readCondition,
  type KindName
} from './condition-kinds.js'
import { MoreFields, readMore } from './more-fields.js'
import { describeCondition, type Rule } from './rules.js'

interface Props {
  /** Those that have data, and the one that the alert is about. */
  readonly measures: readonly AnyMeasure[]
  /** Id of the measure that is chosen at first. */
  readonly measure: string | null
  /** The alert to change; undefined for a new one. */
  readonly rule?: Rule | undefined
}

/**
 * Shows the form, without fields if no kind of alert is possible yet. Saving creates the alert, or changes
 * `rule`, and opens its page.
 */
export function AlertForm({ measures, measure, rule }: Props) {
  const account = useAccount()
  const { client, username } = account
  const before = rule?.condition
  const [kind, setKind] = useState(() => (before ? findKind(before) : chooseKind(measures, measure)))
  const [chosen, setChosen] = useState(before?.measure ?? measure ?? '')
  const [{ of, person }, setWhose] = useState<Whose>({ of: findCopy(before) })
  const theirs = useTheirMeasures(account, of)
  const known = of === undefined ? measures : theirs
  const [channelIds, setChannelIds] = useState<readonly string[]>(rule?.channelIds ?? [])
  const isAbout = kind !== undefined && getKind(kind).about !== undefined
  const offered = !isAbout ? [] : known.filter(each => isOffered(each, kind))
  const current = offered.find(({ id }) => id === chosen) ?? offered[0]
  // Numbers of an alert keep their unit.
  const isSame = before?.measure !== undefined && before.measure === current?.id
  const unit = current && ((isSame ? (before.unit ?? current.types[0]) : undefined) ?? getShownType(current))
  const submit = async (values: Values): Promise<void> => {
    const condition =
      kind === undefined ? before! : readCondition(values, { name: kind, measure: current, unit, before, of })
    const fields = {
      name:
        values['name'] ||
        [person ?? [], describeCondition(condition, current), values['senderName'] ?? []].flat().join(': '),
      condition,
      ...readMore(values, rule),
      // Alerts of apps have channels of these, which others cannot choose.
      ...(channelIds.join() !== rule?.channelIds.join() && { channelIds })
    }
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const saved = rule
      ? await client.call<{ rule: Rule }>('rules.update', { id: rule.id, update: fields })
      : await client.call<{ rule: Rule }>('rules.create', { ...fields, channelIds, zone })
    navigate(buildHref(username, { page: 'alerts', id: saved.rule.id }), true)
  }
  return (
    <>
      <h1>{t(rule ? 'alerts.change' : 'alerts.add')}</h1>
      <section class="card panel">
        <Form action={t('alerts.save')} onSubmit={submit}>
          {kind !== undefined && (
            <>
              <Select
                name="kind"
                label={t('alerts.when')}
                value={kind}
                options={kindNames.map(each => [
                  each,
                  t(`alerts.kind.${each}`),
                  each !== kind && !isPossible(known, each)
                ])}
                onChange={value => setKind(value as KindName)}
              />
              {hasStreams(kind) && (
                <WhoseChoice
                  isField
                  of={of}
                  onChoose={(root, name) => setWhose({ of: root, person: name })}
                />
              )}
              {current && (
                <Select
                  name="measure"
                  label={t('alerts.measure')}
                  value={current.id}
                  options={offered.map(each => [each.id, getMeasureName(each)])}
                  onChange={setChosen}
                />
              )}
              <ConditionFields
                key={kind}
                name={kind}
                unit={unit}
                condition={before && findKind(before) === kind ? before : undefined}
              />
            </>
          )}
          <Field
            name="name"
            label={t('alerts.name')}
            input={{ required: false, maxLength: 200, defaultValue: rule?.name ?? '' }}
          />
          <ChannelChoice value={channelIds} onChange={setChannelIds} />
          <MoreFields rule={rule} />
        </Form>
      </section>
    </>
  )
}

/** Whose data an alert is about: the root of a copy, or undefined for the user's own. */
interface Whose {
  readonly of: string | undefined
  /** The name of the person, if it was chosen here. */
  readonly person?: string | undefined
}

/** Returns the measures that a copy has data of; empty until they are read. */
function useTheirMeasures(account: Account, of: string | undefined): readonly AnyMeasure[] {
  const [found, setFound] = useState<readonly AnyMeasure[]>([])
  useEffect(() => {
    if (of === undefined) return
    const read = async (): Promise<void> => {
      const { readFollowed } = await import('../data/news.js')
      const { measureFacts } = await readFollowed(account, of)
      setFound(await account.measures.read(measureFacts.map(({ measure }) => measure)))
    }
    read().catch(showFailure)
  }, [of])
  return found
}

/** Returns the kind that is chosen at first. */
function chooseKind(measures: readonly AnyMeasure[], id: string | null): KindName | undefined {
  const chosen = measures.find(measure => measure.id === id)
  const possible = kindNames.find(
    name => getKind(name).about && isPossible(chosen ? [chosen] : measures, name)
  )
  return possible ?? 'words'
}
