/**
 * The day of a caregiver: Daisy's daughter may see her glucose and her phone. She gets messages when the phone is silent and when glucose is
 * low, and Daisy sees that she looked.
 */
import t from 'tap'
import { desk, phone, startApp } from '../../support/app.js'
import type { Answer } from '../../support/coffer.js'
import { setTime } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { receiver } from '../../support/receiver.js'
import { until } from '../../support/socket.js'

t.setTimeout(300_000)

const [minute, hour] = [60, 3600]

t.test('a mother and her daughter', async t => {
  const { daisy, enter, open, service } = await startApp(t, { channels: { allowInternalTargets: true } })
  const { clock } = service
  const server = await receiver(t)
  for (const id of ['glucose', 'phone', 'diary']) await daisy.stream(id)
  const clientData = { 'coffer:measure': 'glucose' }
  await daisy.do('streams.update', { id: 'glucose', update: { clientData } })
  const daughter = await daisy.grantAll(
    ['glucose', 'phone'].map(streamId => ({ streamId, level: 'read' }) as const),
    { type: 'shared', name: 'Anna' }
  )
  const target = { url: `${server.url}/ntfy`, topic: 'anna' }
  const { channel } = await daughter.do('channels.create', { type: 'ntfy', name: 'My phone', target })
  const watch = async (name: string, condition: object, fields: object = {}): Promise<string> => {
    const given = { name, condition, channelIds: [channel.id], atMostEvery: minute, ...fields }
    return (await daughter.do('rules.create', given)).rule.id
  }
  const getState = async (id: string): Promise<Answer> =>
    (await daughter.do('rules.getOne', { id })).rule.state
  /** Returns the messages that have arrived, once there are so many. */
  const told = async (count: number): Promise<Answer[]> => {
    await until(() => server.deliveries.length >= count, `${count} messages`)
    t.equal(server.deliveries.length, count)
    return server.deliveries.map(({ body }) => body)
  }
  const measure = async (content: number, rule: string): Promise<void> => {
    clock.advance(minute)
    const time = clock.now()
    await daisy.event({ streamIds: ['glucose'], type: 'density/mmol-l', content, time })
    await until(async () => await isEvaluated(rule, time), `an evaluation of ${content}`)
  }
  const isEvaluated = async (id: string, time: number): Promise<boolean> => {
    const { accounts } = service.server.services
    return (accounts.openStore(accounts.find('daisy')!).rules.find(id)?.state.evaluatedTo ?? 0) >= time
  }

  await daisy.event({ streamIds: ['phone'], type: 'ratio/percent', content: 80 })
  const silent = await watch('Phone is silent', { kind: 'missing', streamId: 'phone', for: 12 * hour })
  const glucose = { measure: 'glucose', unit: 'density/mmol-l' }
  const low = await watch(
    'Low glucose',
    { kind: 'below', ...glucose, value: 3.9 },
    { remindAfter: 15 * minute }
  )

  await t.test('a phone that is silent for twelve hours', async t => {
    clock.advance(12 * hour - 1)
    t.match(await getState(silent), { isFiring: false })
    clock.advance(1)
    const [message] = await told(1)
    t.notMatch(JSON.stringify(message), /silent|phone is|glucose/i, 'nothing of the data')
    t.match(await getState(silent), { isFiring: true, isOpen: true })
  })

  await t.test('the message of low glucose is repeated until someone acknowledges it', async t => {
    await measure(5.5, low)
    await measure(3.2, low)
    const [, { actions }] = await told(2)
    t.match(actions[0].url, `/app/daisy/alerts/${low}?acknowledge=`)
    clock.advance(15 * minute)
    await told(3)
    const mother = await enter('/app/daisy/today', phone)
    const waiting = mother.getByRole('region', { name: 'Open alerts' })
    await waiting.getByText('Phone is silent').waitFor()
    await look(t, mother, 'caregiver-today')
    await waiting.getByRole('button', { name: 'Acknowledge: Low glucose' }).click()
    await mother.getByText('Acknowledged.').waitFor()
    await waiting.getByText('Low glucose').waitFor({ state: 'detached' })
    await mother.context().close()
    const state = await getState(low)
    t.match(state, { isFiring: true, acknowledgedAt: clock.now() })
    t.notOk('isOpen' in state, 'the daughter sees that, too')
    clock.advance(15 * minute)
    await measure(3.3, low)
    await told(3)
  })

  await t.test('quiet hours hold a message until they are over', async t => {
    const quietHours = { from: '08:00', to: '14:00' }
    const high = await watch('High glucose', { kind: 'above', ...glucose, value: 15 }, { quietHours })
    await measure(17, high)
    await until(async () => (await getState(high)).isFiring, 'high glucose')
    const { firedAt, tellAt } = await getState(high)
    t.equal(firedAt, clock.now())
    t.equal(new Date(tellAt * 1000).toISOString().slice(11, 16), '14:00')
    await told(3)
    clock.advance(tellAt - clock.now())
    await told(4)
    t.match(await getState(high), { isFiring: true, isOpen: true, toldAt: tellAt })
  })

  await t.test('the mother sees that her daughter looked', async t => {
    const page = await open(`/app/shared#daisy.${daughter.token}`, desk, async guest => {
      await setTime(guest, clock.now())
    })
    await page.getByText('Shared with you by daisy').waitFor()
    await page.getByText('Glucose').first().waitFor()
    t.equal(await page.getByText('diary').count(), 0, 'what she may not see')
    await page.context().close()
    clock.advance(minute)
    const mother = await enter('/app/daisy/today', phone)
    await mother.getByText(/Anna viewed/).waitFor()
    await look(t, mother, 'caregiver-looked')
    await mother.context().close()
  })

  await t.test('without the access, there is nothing to tell', async t => {
    await daisy.do('accesses.delete', { id: daughter.access.id })
    t.same((await daisy.do('rules.get')).rules, [])
    await daisy.event({ streamIds: ['glucose'], type: 'density/mmol-l', content: 3 })
    clock.advance(hour)
    await service.server.settle()
    await told(4)
  })
})
