/** Questionnaires and the responses to them in FHIR: forms, their answers, and responses that were imported. */
import { Client as FhirClient } from 'fhir-kit-client'
import t, { type Test } from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { ask, day, ids, monday } from '../../support/fhir.js'

const questionnaire = {
  resourceType: 'Questionnaire',
  title: 'Visit',
  url: 'https://clinic.example/visit',
  item: [
    { linkId: 'pain', type: 'boolean', text: 'Are you in pain?' },
    {
      linkId: 'mood',
      type: 'choice',
      answerOption: [{ valueCoding: { code: 'good', display: 'Good' } }, { valueCoding: { code: 'bad' } }]
    }
  ]
}

interface World {
  readonly alice: Client
  readonly app: Client
  readonly form: Answer
  /** Two answers to the form, and an imported response between them. */
  readonly first: string
  readonly imported: string
  readonly last: string
}

async function setUp(t: Test): Promise<World> {
  const { alice } = await coffer(t)
  for (const id of ['visits', 'records', 'diary']) await alice.stream(id)
  const { form } = await alice.do('forms.create', { questionnaire, streamId: 'visits' })
  const answer = async (id: string, time: number, ...item: object[]): Promise<string> => {
    const response = { resourceType: 'QuestionnaireResponse', item }
    return (await alice.do('forms.answer', { id, time, response })).event.id
  }
  const first = await answer(form.id, monday, { linkId: 'pain', answer: [{ valueBoolean: true }] })
  const last = await answer(
    form.id,
    monday + 2 * day,
    { linkId: 'pain', answer: [{ valueBoolean: false }] },
    { linkId: 'mood', answer: [{ valueCoding: { code: 'good' } }] }
  )
  const resource = {
    resourceType: 'QuestionnaireResponse',
    id: 'theirs',
    meta: { versionId: '3' },
    questionnaire: 'https://clinic.example/intake|2.0',
    status: 'amended',
    subject: { reference: 'Patient/secret' },
    author: { reference: 'Practitioner/7' },
    item: [{ linkId: '1', answer: [{ valueString: 'None' }] }]
  }
  const record = { type: 'clinical/fhir', content: { displayName: 'x', clinicalType: 'labResultRecord' } }
  const { id: imported } = await alice.event({
    ...record,
    streamIds: ['records'],
    time: monday + day,
    clientData: { 'fhir:resource': resource }
  })
  const other = { 'fhir:resource': { resourceType: 'Condition', subject: {} } }
  await alice.event({ ...record, streamIds: ['records'], time: monday, clientData: other })
  const secret = await alice.do('forms.create', { questionnaire, streamId: 'diary' })
  await answer(secret.form.id, monday)
  const app = await alice.grantAll(
    [
      { streamId: 'visits', level: 'read' },
      { streamId: 'records', level: 'read' }
    ],
    { type: 'app', name: 'doctor' }
  )
  return { alice, app, form, first, imported, last }
}

t.test('responses', async t => {
  const { alice, app, first, form, imported, last } = await setUp(t)
  const { service, username } = alice
  const baseUrl = `${service.server.url}/${username}/fhir`
  const client = new FhirClient({ baseUrl, bearerToken: app.token })

  t.test('are found and read with the answers', async t => {
    const found = (await client.search({ resourceType: 'QuestionnaireResponse' })) as Answer
    t.same(ids(found), [last, imported, first], 'those in the streams of the access, the latest first')
    const [{ resource }] = found.entry
    t.match(resource, {
      status: 'completed',
      questionnaire: `urn:coffer:form:${form.id}`,
      authored: '2026-01-07T00:00:00Z',
      subject: { reference: /^Patient\/[0-9a-f]{32}$/ },
      item: [
        { linkId: 'pain', answer: [{ valueBoolean: false }] },
        { linkId: 'mood', answer: [{ valueCoding: { code: 'good', display: 'Good' } }] }
      ]
    })
    t.same(await client.read({ resourceType: 'QuestionnaireResponse', id: last }), resource)
  })

  t.test('that were imported belong to this patient, and lead to no resources of another server', async t => {
    const { body } = await ask(t, app, `QuestionnaireResponse/${imported}`)
    t.match(body, {
      id: imported,
      status: 'amended',
      authored: '2026-01-06T00:00:00Z',
      author: { display: 'Practitioner/7' }
    })
    t.notMatch(JSON.stringify(body), /secret|theirs|"reference":"Practitioner/)
    t.equal((await ask(t, app, `Observation/${imported}`)).status, 404)
  })

  t.test('are searched for', async t => {
    const [patient] = ((await client.search({ resourceType: 'Patient' })) as Answer).entry
    const { id } = patient.resource
    for (const [query, expected] of Object.entries({
      [`patient=${id}`]: [last, imported, first],
      [`subject=Patient/${id}`]: [last, imported, first],
      'patient=another': [],
      'authored=2026-01-06': [imported],
      'authored=gt2026-01-05&authored=lt2026-01-07': [imported],
      'authored=ge2026-01-06&_sort=authored': [imported, last],
      '_sort=authored': [first, imported, last],
      '_sort=-authored&status=completed': [last, first],
      'status=http://hl7.org/fhir/questionnaire-answers-status|amended': [imported],
      'status=in-progress': [],
      [`questionnaire=urn:coffer:form:${form.id}`]: [last, first],
      [`questionnaire=Questionnaire/${form.id}`]: [last, first],
      [`questionnaire=${baseUrl}/Questionnaire/${form.id}`]: [last, first],
      [`questionnaire=https://alice.coffer.example/fhir/Questionnaire/${form.id}`]: [last, first],
      'questionnaire=https://clinic.example/intake': [imported],
      'questionnaire=https://clinic.example/intake|2.0,urn:coffer:form:none': [imported],
      'questionnaire=https://clinic.example/intake|1.0': [],
      [`_id=${first},${imported},none`]: [imported, first],
      '_lastUpdated=gt2100': [],
      '_lastUpdated=gt2001&_count=2': [last, imported]
    }))
      t.same(ids((await ask(t, app, `QuestionnaireResponse?${query}`)).body), expected, query)
    for (const query of ['_sort=date', 'questionnaire.title=Visit', 'authored=today'])
      t.equal((await ask(t, app, `QuestionnaireResponse?${query}`)).status, 400, query)
  })

  t.test('come in pages, each once', async t => {
    for (const order of ['authored', '-authored']) {
      const searchParams = { _count: 1, _sort: order }
      let page: Answer = await client.search({ resourceType: 'QuestionnaireResponse', searchParams })
      const seen: string[] = []
      for (let pages = 0; page && pages < 10; pages++) {
        seen.push(...ids(page))
        page = await client.nextPage({ bundle: page })
      }
      t.same(seen, order === 'authored' ? [first, imported, last] : [last, imported, first])
    }
  })

  t.test('are only those: other events and other contents are not', async t => {
    const note = await alice.event({ streamIds: ['visits'], type: 'note/txt', content: 'x' })
    const wrong = ['text', [], { resourceType: 'Observation' }, { resourceType: 'QuestionnaireResponse' }]
    const events = [note]
    for (const content of wrong)
      events.push(await alice.event({ streamIds: ['visits'], type: 'questionnaire/response', content }))
    for (const { id } of events) t.equal((await ask(t, app, `QuestionnaireResponse/${id}`)).status, 404)
    t.equal((await ask(t, app, 'QuestionnaireResponse')).body.total, 3)
  })

  t.test('of forms that the access may not read stay secret', async t => {
    const { body } = await ask(t, alice, 'QuestionnaireResponse?authored=2026-01-05')
    t.equal(body.total, 2)
    const hidden = ids(body).find(id => id !== first)!
    t.equal(body.entry.find(({ resource }: Answer) => resource.id === hidden).resource.item, undefined)
    t.equal((await ask(t, app, `QuestionnaireResponse/${hidden}`)).status, 403)
    t.same(ids((await ask(t, app, `QuestionnaireResponse?_id=${hidden}`)).body), [])
  })

  t.test('in the trash are marked as errors, and gone once they are deleted', async t => {
    await alice.do('events.delete', { id: first })
    t.match(await ask(t, alice, `QuestionnaireResponse/${first}`), { body: { status: 'entered-in-error' } })
    const query = 'QuestionnaireResponse?status=entered-in-error'
    t.same(ids((await ask(t, alice, query)).body), [first])
    await alice.do('events.delete', { id: first })
    t.equal((await ask(t, alice, `QuestionnaireResponse/${first}`)).status, 410)
  })
})

t.test('questionnaires', async t => {
  const { alice, app, form } = await setUp(t)

  t.test('are the forms, under the URL that responses name', async t => {
    const { body } = await ask(t, alice, `Questionnaire?url=urn:coffer:form:${form.id}`)
    t.same(ids(body), [form.id])
    const [{ resource }] = body.entry
    t.match(resource, {
      title: 'Visit',
      status: 'active',
      url: `urn:coffer:form:${form.id}`,
      derivedFrom: ['https://clinic.example/visit'],
      item: questionnaire.item
    })
    t.same((await ask(t, alice, `Questionnaire/${form.id}`)).body, resource)
    t.equal((await ask(t, alice, 'Questionnaire/unknown')).status, 404)
  })

  t.test('come in pages', async t => {
    const { body } = await ask(t, alice, 'Questionnaire?_count=1')
    t.same(ids(body), [form.id])
    const next = body.link.find(({ relation }: Answer) => relation === 'next').url.split('/fhir/')[1]
    t.equal(ids((await ask(t, alice, next)).body).length, 1)
    t.same(ids((await ask(t, alice, `Questionnaire?_id=${form.id},x`)).body), [form.id])
  })

  t.test('of others are not listed', async t => {
    t.same((await ask(t, app, 'Questionnaire')).body.total, 0)
    t.equal((await ask(t, app, `Questionnaire/${form.id}`)).status, 403)
  })
})
