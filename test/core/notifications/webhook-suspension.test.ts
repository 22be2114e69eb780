/** Webhooks of a suspended account: nothing is sent until it is resumed. */
import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { receiver } from '../../support/receiver.js'
import { until } from '../../support/socket.js'

const adminKey = 'a-key-for-the-operator-0123456789'

t.test('a webhook of a suspended account is neither called nor retried', async t => {
  const service = await coffer(t, { adminKey, webhooks: { allowInternalTargets: true } })
  const { alice, clock } = service
  await alice.stream('diary')
  const app = await alice.grant('manage', 'diary', { type: 'app' })
  const target = await receiver(t)
  target.answer = 500
  const { webhook } = await app.do('webhooks.create', { url: target.url })
  const ran = async (count: number): Promise<void> =>
    await until(
      async () => (await app.do('webhooks.getOne', { id: webhook.id })).webhook.runCount >= count,
      `${count} runs`
    )
  await alice.event()
  await ran(1)

  const operate = async (method: string): Promise<void> => {
    const { error } = await service.call(undefined, method, { username: 'alice' }, adminKey)
    t.notOk(error, method)
  }
  await operate('system.suspendUser')
  const suspended = clock.now()
  // Advances past each retry time; the service runs its other work in between.
  for (let count = 0; count < 10; count++) {
    clock.advance(3600)
    await service.http('GET', '/service/info')
  }
  target.answer = 200
  clock.advance(3600)
  const resumed = clock.now()
  await operate('system.resumeUser')
  await alice.event()
  clock.advance(3600)
  await ran(2)
  t.equal(target.deliveries[0]!.body.meta.serverTime, suspended, 'the call before')
  for (const { body } of target.deliveries.slice(1)) t.ok(body.meta.serverTime >= resumed, 'none meanwhile')
})
