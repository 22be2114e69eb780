/** The page of alerts: which there are, and adding one. */
import './style.css'
import { useEffect } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import type { AnyMeasure } from '../data/measures.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import type { PageProps } from '../route.js'
import { AlertForm } from './alert-form.js'
import { AlertView } from './alert-view.js'
import { OpenList } from './open-list.js'
import { describeCondition, describeQuiet, describeState, useMeasures, useRules, type Rule } from './rules.js'

/**
 * Shows the list, one alert (`id`), its form (`edit`), or the form of a new one (`new`, or `measure`, which it
 * preselects). Rereads on each change of these.
 */
export default function AlertsPage({ id, query }: PageProps) {
  const { read, problem, reread } = useRules()
  const facts = useStore(useAccount().measureFacts)
  const measures = useMeasures(
    read?.rules ?? [],
    facts.map(fact => fact.measure)
  )
  const measure = query.get('measure')
  const isNew = query.has('new') || measure !== null
  useEffect(() => {
    document.title = t('alerts.title')
    void reread()
  }, [id, isNew])
  if (problem !== undefined && !read) return <ReadProblem message={problem} />
  if (!read || !measures) return <Skeleton kind="page" />
  const changed = query.has('edit') ? read.rules.find(rule => rule.id === id) : undefined
  if (changed)
    return (
      <div class="column">
        <BackLink page="alerts" label={t('alerts.title')} />
        <AlertForm key={id} measures={[...measures.values()]} measure={null} rule={changed} />
      </div>
    )
  if (id !== undefined)
    return (
      <div class="column">
        <BackLink page="alerts" label={t('alerts.title')} />
        <AlertView
          key={id}
          id={id}
          isKnown={read.rules.some(rule => rule.id === id)}
          measures={measures}
          isAcknowledging={query.has('acknowledge')}
        />
      </div>
    )
  if (isNew)
    return (
      <div class="column">
        <BackLink page="alerts" label={t('alerts.title')} />
        <AlertForm measures={[...measures.values()]} measure={measure} />
      </div>
    )
  return (
    <div class="column">
      <BackLink page="channels" label={t('shell.channels')} />
      <h1>{t('alerts.title')}</h1>
      <p class="lead">{t('alerts.lead')}</p>
      <OpenList rules={read.rules} measures={measures} onChanged={reread} />
      <p>
        <AppLink to={{ page: 'alerts', query: { new: '1' } }} class="button primary">
          {t('alerts.add')}
        </AppLink>
      </p>
      {read.rules.length > 0 && (
        <section class="card panel" aria-label={t('alerts.title')}>
          <ul class="list">
            {read.rules.map(rule => (
              <Row key={rule.id} rule={rule} measures={measures} />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

interface RowProps {
  readonly rule: Rule
  readonly measures: ReadonlyMap<string, AnyMeasure>
}

/** Shows an alert with its condition, quiet hours and state, as a link. */
function Row({ rule, measures }: RowProps) {
  const { condition, id, isActive, name, state } = rule
  const sentence = describeCondition(condition, measures.get(condition.measure ?? ''))
  const quiet = describeQuiet(rule)
  return (
    <li>
      <AppLink to={{ page: 'alerts', id }}>
        <span>
          <b>{toPlainText(name)}</b>
          {sentence !== name && <small>{sentence}</small>}
          {quiet !== '' && <small>{quiet}</small>}
        </span>
        <span class={isActive && state.isFiring ? 'state firing' : 'state'}>{describeState(rule)}</span>
        <Icon name="right" />
      </AppLink>
    </li>
  )
}

function BackLink({ page, label }: { readonly page: 'alerts' | 'channels'; readonly label: string }) {
  return (
    <AppLink to={{ page }} class="crumb">
      <Icon name="left" />
      {label}
    </AppLink>
  )
}
