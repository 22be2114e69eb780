/** Asks someone for data: what, why and for how long. Then shows the link to send. */
import { useEffect, useState } from 'preact/hooks'
import { Refusal } from '../../api.js'
import { explainError, type Message } from '../../explain-error.js'
import { getLocale, t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { useAccount } from '../data/account.js'
import { getMeasureName, type AnyMeasure } from '../data/measures.js'
import type { Event } from '../data/model.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import { everything, MeasureChoice } from './measure-choice.js'
import { buildAnswersPermission, FormField, formKey, readForm } from './offered-form.js'
import { OfferLink } from './offer-link.js'
import { OtherLanguages, writeTexts } from './other-languages.js'
import { ownScope, types, writeEvent, type RequestContent } from './people.js'

const daySeconds = 86_400

/** `shown`: the id of an earlier request whose link is shown again. */
export function AskForm({ shown }: { readonly shown?: string | undefined }) {
  const account = useAccount()
  const { client, measures, username } = account
  const [all, setAll] = useState<readonly AnyMeasure[]>()
  const [problem, setProblem] = useState<Message>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [required, setRequired] = useState<ReadonlySet<string>>(new Set())
  const [added, setAdded] = useState<readonly string[]>([])
  const [created, setCreated] = useState<Event>()
  const [file, setFile] = useState<File>()
  useEffect(() => {
    const reading =
      shown === undefined
        ? measures.readAll().then(setAll)
        : client.call<{ event: Event }>('events.getOne', { id: shown }).then(({ event }) => setCreated(event))
    reading.catch((error: unknown) => setProblem(explainError(error).message))
  }, [shown])
  if (problem !== undefined) return <ReadProblem message={problem} />
  if (created) return <OfferLink content={created.content as RequestContent} />
  if (!all) return <Skeleton kind="page" />
  const submit = async (values: Values): Promise<void> => {
    const form = await readForm(file)
    if (chosen.size === 0 && !form) throw new Refusal('people-nothing', t('people.chooseSome'))
    const names = new Map(all.map(measure => [measure.id, getMeasureName(measure)]))
    const displayName = values['name']!.trim()
    const level = values['level'] === 'contribute' ? 'contribute' : 'read'
    const event = await writeEvent(account, ownScope, types.request, {
      to: null,
      capabilityRequested: true,
      ...(form && { [formKey]: form }),
      capability: { mode: values['who'] === 'many' ? 'open-link' : 'single-use' },
      request: {
        ...(await writeTexts(values, added, { name: displayName, level, chosen, measures: all })),
        permissions: [
          ...[...chosen].map(id => ({
            streamId: id,
            level,
            ...(id !== everything && { defaultName: names.get(id)! }),
            ...(required.has(id) && { mandatory: true })
          })),
          ...(form ? [buildAnswersPermission(form)] : [])
        ],
        allowUserChoice: true,
        features: { chat: values['chat'] === 'on', systemMessaging: true },
        expiresAt: Math.floor((client.serverTime ?? Date.now() / 1000) + Number(values['days']) * daySeconds)
      },
      requesterMeta: { displayName, appId: 'coffer' }
    })
    await account.readAccesses()
    setCreated(event)
  }
  return (
    <>
      <h1>{t('people.ask')}</h1>
      <p class="lead">{t('people.askLead')}</p>
      <section class="card panel">
        <Form action={t('people.createLink')} onSubmit={submit}>
          <MeasureChoice
            measures={all}
            chosen={chosen}
            onChoose={setChosen}
            required={required}
            onRequire={setRequired}
          />
          <div class="field">
            <label for="level">{t('people.what')}</label>
            <select id="level" name="level">
              <option value="read">{t('people.askRead')}</option>
              <option value="contribute">{t('people.askContribute')}</option>
            </select>
          </div>
          <FormField file={file} onFile={setFile} />
          <Field
            name="title"
            label={t('people.titleField')}
            hint={t('people.titleHint')}
            input={{ maxLength: 200, autocomplete: 'off' }}
          />
          <div class="field">
            <label for="reason">{t('people.reason')}</label>
            <textarea id="reason" name="reason" required maxLength={2000} rows={3} />
          </div>
          <OtherLanguages added={added} onAdd={tag => setAdded([...added, tag])} />
          <Field
            name="name"
            label={t('people.yourName')}
            hint={t('people.yourNameHint')}
            input={{ defaultValue: username, maxLength: 100, autocomplete: 'name' }}
          />
          <div class="field">
            <label for="who">{t('people.forWhom')}</label>
            <select id="who" name="who">
              <option value="one">{t('people.onePerson')}</option>
              <option value="many">{t('people.severalPeople')}</option>
            </select>
          </div>
          <div class="field">
            <label for="days">{t('people.validFor')}</label>
            <select id="days" name="days">
              {[1, 7, 30].map(days => (
                // The service allows 30 days at most.
                <option key={days} value={days === 30 ? 29.9 : days} selected={days === 7}>
                  {new Intl.NumberFormat(getLocale(), {
                    style: 'unit',
                    unit: 'day',
                    unitDisplay: 'long'
                  }).format(days)}
                </option>
              ))}
            </select>
          </div>
          <label class="tick">
            <input type="checkbox" name="chat" defaultChecked />
            {t('people.askChat')}
          </label>
        </Form>
      </section>
    </>
  )
}
