/** The page of forms: which there are, and filling one in. A reminder opens it with `reminder` and `due`. */
import './style.css'
import { useEffect, useState } from 'preact/hooks'
import { getLanguage, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { toPlainLines, toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { createStream } from '../events/save-event.js'
import { AppLink } from '../parts/app-link.js'
import { Confirm } from '../parts/confirm.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { showToast } from '../parts/toast.js'
import { buildHref, navigate, type PageProps } from '../route.js'
import { FillForm } from './fill-form.js'
import type { Form } from './questionnaire.js'

interface Forms {
  readonly forms: readonly Pick<Form, 'id' | 'title'>[]
  readonly templates: readonly Pick<Form, 'id' | 'title'>[]
}

/**
 * Shows the list of forms and templates, or a form to fill in (`id`). Adding a template also creates a stream,
 * and opens the form. Storing a response shows a toast and opens Today; removing a form asks first.
 */
export default function FormsPage({ id, query }: PageProps) {
  return <div class="column">{id === undefined ? <List /> : <OneForm key={id} id={id} query={query} />}</div>
}

/** Lists the user's forms, and the templates that can be added. */
function List() {
  const account = useAccount()
  const { client, username } = account
  const { read, problem } = useReading(async () => await client.call<Forms>('forms.get'))
  useEffect(() => {
    document.title = t('forms.title')
  }, [])
  if (problem !== undefined) return <ReadProblem message={problem} />
  if (!read) return <Skeleton kind="page" />
  const add = async (template: Forms['templates'][number]): Promise<void> => {
    // The measure has the id of the template.
    const stream = await createStream(account, { name: template.title, measure: template.id })
    const language = ['de', 'fr'].find(each => getLanguage().startsWith(each)) ?? 'en'
    const { form } = await client.call<{ form: Form }>('forms.create', {
      template: template.id,
      language,
      streamId: stream.id
    })
    navigate(buildHref(username, { page: 'forms', id: form.id }))
  }
  return (
    <>
      <AppLink to={{ page: 'reminders' }} class="crumb">
        <Icon name="left" />
        {t('forms.reminders')}
      </AppLink>
      <h1>{t('forms.title')}</h1>
      <p class="lead">{t('forms.lead')}</p>
      {read.forms.length > 0 && (
        <section class="card panel" aria-labelledby="own">
          <h2 id="own">{t('forms.own')}</h2>
          <ul>
            {read.forms.map(({ id, title }) => (
              <li key={id}>
                <AppLink to={{ page: 'forms', id }}>{toPlainText(title)}</AppLink>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section class="card panel" aria-labelledby="templates">
        <h2 id="templates">{t('forms.templates')}</h2>
        <ul>
          {read.templates.map(template => (
            <li key={template.id}>
              <span>
                <b>{template.title}</b>
                <small>{template.id === 'phq-9' ? t('forms.about.phq-9') : t('forms.about.gad-7')}</small>
              </span>
              <Action
                label={t('forms.addNamed', { name: template.title })}
                onClick={async () => await add(template)}
              >
                {t('forms.add')}
              </Action>
            </li>
          ))}
        </ul>
        <p class="hint">{t('forms.source')}</p>
      </section>
    </>
  )
}

/** Shows a form to fill in. The response counts for the reminder in the URL, if there is one. */
function OneForm({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  const { client, username } = useAccount()
  const [isRemoving, setRemoving] = useState(false)
  const { read, problem } = useReading(async () => await client.call<{ form: Form }>('forms.getOne', { id }))
  const title = toPlainText(read?.form.title ?? '')
  useEffect(() => {
    if (title !== '') document.title = title
  }, [title])
  if (problem !== undefined) return <ReadProblem message={problem} />
  if (!read) return <Skeleton kind="page" />
  const { form } = read
  const [reminder, due] = [query.get('reminder'), Number(query.get('due'))]
  const { copyright } = form.questionnaire
  return (
    <>
      <AppLink to={{ page: 'forms' }} class="crumb">
        <Icon name="left" />
        {t('forms.title')}
      </AppLink>
      <h1>{title}</h1>
      <section class="card panel">
        <FillForm
          form={form}
          onResponse={async response => {
            await client.call('forms.answer', {
              id,
              response,
              ...(reminder !== null && due > 0 && { reminder: { id: reminder, due } })
            })
            showToast(t('forms.stored', { name: title }))
            navigate(buildHref(username, { page: 'today' }))
          }}
        />
      </section>
      {typeof copyright === 'string' && <p class="hint">{toPlainLines(copyright)}</p>}
      <p class="ways">
        <AppLink to={{ page: 'reminders', id: 'new', query: { form: id } }} class="button">
          <Icon name="bell" />
          {t('forms.remind')}
        </AppLink>
        <button type="button" class="button" onClick={() => setRemoving(true)}>
          {t('forms.remove')}
        </button>
      </p>
      {isRemoving && (
        <Confirm
          title={t('forms.removeTitle', { name: title })}
          action={t('forms.remove')}
          onConfirm={async () => {
            await client.call('forms.delete', { id })
            navigate(buildHref(username, { page: 'forms' }))
          }}
          onClose={() => setRemoving(false)}
        >
          <p>{t('forms.removeText')}</p>
        </Confirm>
      )}
    </>
  )
}
