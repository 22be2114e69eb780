/** An alert about the data of someone else, in a browser: made on the page of alerts, and seen when it fires. */
import t from 'tap'
import { phone, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import type { Answer } from '../../support/coffer.js'
import { look } from '../../support/look.js'
import { until } from '../../support/socket.js'
import { accept, listPeers, offer } from '../../support/two-servers.js'

t.setTimeout(300_000)

/** Whether a copy has all that was shared. */
const isComplete = ({ lastContact, state }: Answer): boolean => state === 'live' && lastContact !== undefined

t.test('an alert about the heart rate of a father', async t => {
  const { daisy, enter, service } = await startApp(t, { cmc: { allowInternalTargets: true } })
  const { clock } = service
  const paul = await service.user('paul')
  await paul.stream('heart')
  await daisy.stream('own')
  const beat = async (content: number): Promise<void> => {
    clock.advance(60)
    await paul.event({ streamIds: ['heart'], type: 'frequency/bpm', content, time: clock.now() })
  }
  await beat(70)
  const permissions = [{ streamId: 'heart', level: 'read', defaultName: 'Heart' }]
  const { content } = await offer(daisy, { request: { permissions } })
  const { dataGrantAccessId } = await accept(paul, content.capabilityUrl)
  const peer = (await listPeers(daisy)).find(({ id }) => id !== dataGrantAccessId)
  const { mirror } = await daisy.do('mirrors.create', { accessId: peer.id })
  await until(
    async () => isComplete((await daisy.do('mirrors.getOne', { id: mirror.id })).mirror),
    'the copy'
  )

  const page = await enter('/app/daisy/alerts?new=1', phone)
  await page.getByLabel('Whose data').selectOption({ label: 'paul' })
  await page.getByLabel('When', { exact: true }).selectOption('below')
  await page.getByLabel('Measure').selectOption('heart-rate')
  await page.getByLabel('Value (bpm)').fill('45')
  await look(t, page, 'app-alerts-add-copy')
  await page.getByRole('button', { name: 'Save alert' }).click()
  await untilHeading(page, 'paul: Heart rate below 45 bpm')
  await look(t, page, 'app-alerts-copy')
  const [rule] = (await daisy.do('rules.get')).rules
  t.match(rule.condition, { kind: 'below', measure: 'heart-rate', value: 45, streamIds: [mirror.streamId] })
  await leave(page)

  const isOpen = async (): Promise<boolean> =>
    (await daisy.do('rules.getOne', { id: rule.id })).rule.state.isOpen === true
  clock.advance(60)
  await daisy.event({ streamIds: ['own'], type: 'frequency/bpm', content: 40, time: clock.now() })
  await service.server.settle()
  t.equal(await isOpen(), false, 'own data does not count')
  await beat(38)
  clock.advance(700)
  await until(isOpen, 'the alert')
  const today = await enter('/app/daisy/today', phone)
  const open = today.getByRole('region', { name: 'Open alerts' })
  await open.getByText('paul: Heart rate below 45 bpm').first().waitFor()
  await look(t, today, 'app-today-alert-copy')
  await open.getByRole('button', { name: 'Acknowledge: paul: Heart rate below 45 bpm' }).click()
  await today.getByText('Acknowledged.').waitFor()
  t.equal(await isOpen(), false)
  await leave(today)
})
