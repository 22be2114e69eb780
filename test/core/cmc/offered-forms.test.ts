/** Requests that come with a form: accepting them adds it, and hostile ones are refused. */
import t from 'tap'
import { rotate } from '../../support/rotation.js'
import { accept, offer, requestContent, startTwo, write, type TwoServers } from '../../support/two-servers.js'

const items = [
  { linkId: 'mood', type: 'string', text: 'How are you?', required: true },
  { linkId: 'sleep', type: 'integer', text: 'Hours of sleep?' }
]
const questionnaire = { resourceType: 'Questionnaire', status: 'active', title: 'Evening', item: items }
const form = { questionnaire, streamId: 'answers' }
const permissions = [
  { streamId: 'health', level: 'read', defaultName: 'Health' },
  { streamId: 'answers', level: 'read', defaultName: 'Answers' }
]
const asking = { 'coffer:form': form, request: { permissions, allowUserChoice: true } }

const ofItem = (change: object): object => ({ ...questionnaire, item: [{ ...items[0], ...change }] })

for (const isShared of rotate(t, [false, true]))
  t.test(isShared ? 'on one service' : 'on two services', async t => {
    const two = await startTwo(t, {}, { isShared })
    const { dora, paul } = two

    t.test('accepting a request adds its form, whose answers the requester can read', async t => {
      const { content } = await offer(dora, asking)
      const { offer: shown } = await paul.do('cmc.readOffer', { capabilityUrl: content.capabilityUrl })
      t.same(shown.content['coffer:form'], form)
      const accepted = await accept(paul, content.capabilityUrl)
      t.match(accepted, { status: 'completed', formId: String })
      const { forms } = await paul.do('forms.get')
      t.match(forms, [
        {
          id: accepted.formId,
          title: 'Evening',
          streamId: 'answers',
          accessId: paul.access.id
        }
      ])
      t.match(await paul.do('forms.getOne', { id: accepted.formId }), { form: { questionnaire } })
      const answers = [{ linkId: 'mood', answer: [{ valueString: 'Well' }] }]
      const response = { resourceType: 'QuestionnaireResponse', status: 'completed', item: answers }
      await paul.do('forms.answer', { id: accepted.formId, response })
      const { events } = await readAsDora(two, accepted.acceptedBy.apiEndpoint)
      t.match(events, [{ type: 'questionnaire/response', streamIds: ['answers'] }])
      await paul.do('forms.delete', { id: accepted.formId })
    })

    t.test('the form goes to the stream that the user chooses', async t => {
      const { content } = await offer(dora, asking)
      const ownStreams = { answers: 'diary' }
      const { formId } = await accept(paul, content.capabilityUrl, { ownStreams })
      t.match(await paul.do('forms.getOne', { id: formId }), { form: { streamId: 'diary' } })
      await paul.do('forms.delete', { id: formId })
    })

    t.test('without its stream, there is no form', async t => {
      const { content } = await offer(dora, asking)
      const grantedPermissions = [{ streamId: 'health', level: 'read' }]
      const accepted = await accept(paul, content.capabilityUrl, { grantedPermissions })
      t.equal(accepted.status, 'completed')
      t.notOk('formId' in accepted)
      t.same((await paul.do('forms.get')).forms, [])
    })

    t.test('the stream of the answers has the name that the user has seen', async t => {
      for (const [streamId, title, defaultName, name] of [
        ['fresh', 'Evening', 'Answers of the evening', 'Answers of the evening'],
        ['taken', 'Evening', 'health', 'health (2)'],
        ['constructor', 'health', undefined, 'health (3)'],
        ['lines', 'a\nb', undefined, 'a b'],
        ['turned', 'Evening', `a\u202eb\nc${'d'.repeat(500)}`, `ab c${'d'.repeat(196)}`]
      ] as const) {
        const { content } = await offer(dora, {
          'coffer:form': { streamId, questionnaire: { ...questionnaire, title } },
          request: { permissions: [{ streamId, level: 'read', ...(defaultName && { defaultName }) }] }
        })
        const accepted = await accept(paul, content.capabilityUrl, { ownStreams: {} })
        t.match(accepted, { status: 'completed', formId: String })
        const { streams } = await paul.do('streams.get')
        t.equal(streams.find(({ id }: { id: string }) => id === streamId)?.name, name)
        await paul.do('forms.delete', { id: accepted.formId })
      }
    })

    t.test('a form with a schedule comes with a reminder in the zone of the user', async t => {
      const zones = [{ from: 0, zone: 'Europe/Zurich' }]
      await paul.do('profile.update', { id: 'private', update: { 'coffer:zones': zones } })
      const schedule = { times: ['20:00'], days: [1, 4], until: '2199-12-31' }
      const { content } = await offer(dora, { ...asking, 'coffer:form': { ...form, schedule } })
      const { formId } = await accept(paul, content.capabilityUrl)
      const { reminders } = await paul.do('reminders.get')
      t.match(reminders, [
        {
          name: 'Evening',
          kind: 'form',
          formId,
          schedule,
          zone: 'Europe/Zurich',
          next: Number,
          isActive: true
        }
      ])
      await paul.do('forms.delete', { id: formId })
      t.same((await paul.do('reminders.get')).reminders, [], 'removed with the form')
    })

    t.test('without room for the form or its reminder, the reason says so, and nothing is added', async t => {
      const reminder = {
        name: 'x',
        kind: 'habit',
        schedule: { times: ['08:00'] },
        zone: 'UTC',
        streamId: 'diary',
        event: { type: 'activity/plain' }
      }
      const expected = { status: 'failed', failure: { reason: 'cmc-handler-no-room' } }
      for (let count = 0; count < 100; count++) await paul.do('reminders.create', reminder)
      const timed = { ...form, streamId: 'timed', schedule: { times: ['20:00'] } }
      const request = { permissions: [{ streamId: 'timed', level: 'read', defaultName: 'Timed' }] }
      const { content } = await offer(dora, { 'coffer:form': timed, request })
      t.match(await accept(paul, content.capabilityUrl), expected)
      t.same((await paul.do('forms.get')).forms, [])
      for (const { id } of (await paul.do('reminders.get')).reminders)
        await paul.do('reminders.delete', { id })
      for (let count = 0; count < 50; count++)
        await paul.do('forms.create', { questionnaire, streamId: 'diary' })
      const second = await offer(dora, { ...asking, 'coffer:form': form })
      t.match(await accept(paul, second.content.capabilityUrl), expected)
      const { streams } = await paul.do('streams.get')
      t.notOk(streams.find(({ id }: { id: string }) => id === 'timed'))
      for (const { id } of (await paul.do('forms.get')).forms) await paul.do('forms.delete', { id })
    })

    t.test('hostile forms are refused', async t => {
      const deep = JSON.parse('{"a":'.repeat(5000) + '1' + '}'.repeat(5000))
      const many = Array.from({ length: 10_000 }, (_, at) => ({ linkId: `${at}`, type: 'string', text: '?' }))
      const bound = {
        url: 'urn:coffer:event',
        extension: [
          { url: 'type', valueString: 'note/txt' },
          { url: 'streamId', valueString: 'health' }
        ]
      }
      for (const [what, hostile] of [
        ['none', 'form'],
        ['without a stream', { questionnaire }],
        ['other members', { ...form, script: 'x' }],
        ['a schedule without times', { ...form, schedule: { times: [] } }],
        ['a schedule of other members', { ...form, schedule: { times: ['08:00'], cron: '* * * * * *' } }],
        ['a schedule of no day', { ...form, schedule: { times: ['08:00'], from: '2026-02-30' } }],
        ['many times', { ...form, schedule: { times: Array.from({ length: 25 }, () => '08:00') } }],
        ['not a questionnaire', { ...form, questionnaire: { resourceType: 'Patient' } }],
        ['long', { ...form, questionnaire: { ...questionnaire, purpose: 'x'.repeat(70_000) } }],
        ['deep', { ...form, questionnaire: { ...questionnaire, contained: [deep] } }],
        ['of many items', { ...form, questionnaire: { ...questionnaire, item: many } }],
        ['with a script', { ...form, questionnaire: ofItem({ text: '<script>alert(1)</script>' }) }],
        ['with markup', { ...form, questionnaire: ofItem({ text: 'a<img src=x onerror=alert(1)>' }) }],
        ['with a link', { ...form, questionnaire: { ...questionnaire, title: 'javascript:alert(1)' } }],
        ['with texts that look like others', { ...form, questionnaire: ofItem({ text: 'a\u202eb' }) }],
        ['of another stream', { ...form, questionnaire: ofItem({ extension: [bound] }) }]
      ] as const) {
        const { error } = await write(
          dora,
          'consent/request-cmc',
          requestContent({ ...asking, 'coffer:form': hostile })
        )
        t.ok(error, what)
        t.match(error?.id, /^(?:invalid-operation|invalid-parameters-format)$/, what)
      }
    })
  })

/** Reads the events that a grant shows. */
async function readAsDora({ accepterService }: TwoServers, endpoint: string) {
  const token = decodeURIComponent(new URL(endpoint).username)
  return await accepterService.call('paul-patient', 'events.get', { streams: ['answers'] }, token)
}
