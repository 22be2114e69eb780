/** The page of reminders: what they are, when they are due, and how often they were followed. */
import './style.css'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { AppLink } from '../parts/app-link.js'
import { Confirm } from '../parts/confirm.js'
import { describeSchedule } from '../shell/describe-schedule.js'
import { formatDateTime } from '../parts/format-time.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { buildHref, navigate, type PageName, type PageProps } from '../route.js'
import { Adherence } from './adherence.js'
import { ReminderForm } from './reminder-form.js'
import { useReminders, type Reminder } from './reminders.js'

/** In place of an id: the form of a new reminder. */
const newId = 'new'

/**
 * Shows the list, one reminder (`id`), or the form of a new one. Creating and removing (which asks first) open
 * the list.
 */
export default function RemindersPage({ id, query }: PageProps) {
  const { client, username } = useAccount()
  const { read, problem, reread } = useReminders()
  useEffect(() => {
    document.title = t('reminders.title')
  }, [])
  if (!read) return problem === undefined ? <Skeleton kind="page" /> : <ReadProblem message={problem} />
  const toList = (): void => navigate(buildHref(username, { page: 'reminders' }))
  if (id === newId)
    return (
      <div class="column">
        <BackLink page="reminders" label={t('reminders.title')} />
        <h1>{t('reminders.new')}</h1>
        <section class="card panel">
          <ReminderForm
            formId={query.get('form') ?? undefined}
            onSave={async fields => {
              await client.call('reminders.create', fields)
              toList()
            }}
          />
        </section>
      </div>
    )
  const reminder = read.reminders.find(each => each.id === id)
  if (id !== undefined)
    return (
      <div class="column">
        <BackLink page="reminders" label={t('reminders.title')} />
        {reminder ? (
          <View key={id} reminder={reminder} onChanged={reread} onRemoved={toList} />
        ) : (
          <p>{t('reminders.gone')}</p>
        )}
      </div>
    )
  return (
    <div class="column">
      <BackLink page="channels" label={t('shell.channels')} />
      <h1>{t('reminders.title')}</h1>
      <p class="lead">{t('reminders.lead')}</p>
      <p class="ways">
        <AppLink to={{ page: 'reminders', id: newId }} class="button primary">
          <Icon name="plus" />
          {t('reminders.new')}
        </AppLink>
        <AppLink to={{ page: 'forms' }} class="button">
          {t('reminders.forms')}
        </AppLink>
      </p>
      {read.reminders.map(each => (
        <section key={each.id} class="card panel">
          <h2>
            <AppLink to={{ page: 'reminders', id: each.id }}>{toPlainText(each.name)}</AppLink>
          </h2>
          <p class="hint">{describeTimes(each)}</p>
          <Adherence reminder={each} />
        </section>
      ))}
    </div>
  )
}

interface ViewProps {
  readonly reminder: Reminder
  readonly onChanged: () => Promise<void>
  readonly onRemoved: () => void
}

/** Shows a reminder: its times, how often it was followed, and the form that changes it. */
function View({ reminder, onChanged, onRemoved }: ViewProps) {
  const { client } = useAccount()
  const [isRemoving, setRemoving] = useState(false)
  const { id, next } = reminder
  const name = toPlainText(reminder.name)
  return (
    <>
      <h1>{name}</h1>
      <p class="lead">{describeTimes(reminder)}</p>
      {next !== undefined && <p>{t('reminders.next', { time: formatDateTime(next) })}</p>}
      <section class="card panel" aria-labelledby="days">
        <h2 id="days">{t('reminders.days')}</h2>
        <Adherence reminder={reminder} />
      </section>
      <section class="card panel" aria-labelledby="edit">
        <h2 id="edit">{t('reminders.edit')}</h2>
        <ReminderForm
          reminder={reminder}
          onSave={async update => {
            await client.call('reminders.update', { id, update })
            await onChanged()
          }}
        />
      </section>
      <button type="button" class="button" onClick={() => setRemoving(true)}>
        {t('reminders.remove')}
      </button>
      {isRemoving && (
        <Confirm
          title={t('reminders.removeTitle', { name })}
          action={t('reminders.remove')}
          onConfirm={async () => {
            await client.call('reminders.delete', { id })
            onRemoved()
          }}
          onClose={() => setRemoving(false)}
        >
          <p>{t('reminders.removeText')}</p>
        </Confirm>
      )}
    </>
  )
}

/** Describes when a reminder is due. */
function describeTimes({ isActive, schedule }: Reminder): string {
  const text = describeSchedule(schedule)
  return isActive ? text : `${text} ${t('reminders.off')}`
}

function BackLink({ page, label }: { readonly page: PageName; readonly label: string }) {
  return (
    <AppLink to={{ page }} class="crumb">
      <Icon name="left" />
      {label}
    </AppLink>
  )
}
