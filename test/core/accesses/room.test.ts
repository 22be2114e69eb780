/** What apps can take of the room for rules, reminders, forms and channels: the user keeps half of it. */
import t from 'tap'
import { coffer } from '../../support/coffer.js'

const condition = { kind: 'above', measure: 'heart-rate', value: 100 }
const rule = { name: 'rule', channelIds: [], condition }
const reminder = {
  name: 'reminder',
  kind: 'habit',
  schedule: { times: ['08:00'] },
  zone: 'UTC',
  streamId: 'diary',
  event: { type: 'activity/plain' }
}
const form = { template: 'phq-9', streamId: 'diary' }
const channel = { type: 'webhook', name: 'hook', target: { url: 'https://example.com/' } }

t.test('an access has a share of its own, and all of them half', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const apps = []
  for (const name of ['one', 'two', 'three', 'four', 'five'])
    apps.push(await alice.grant('manage', '*', { name }))
  for (const [method, params, most, own] of [
    ['rules.create', rule, 100, 20],
    ['reminders.create', reminder, 100, 20],
    ['forms.create', form, 50, 10],
    ['channels.create', channel, 50, 10]
  ] as const) {
    const counts = []
    for (const app of apps) {
      let count = 0
      while (count <= most && !(await app.call(method, params)).error) count++
      counts.push(count)
    }
    t.same(counts, [own, own, most / 2 - 2 * own, 0, 0], method)
    for (let count = most / 2; count < most; count++) await alice.do(method, params)
    t.match(await alice.call(method, params), { error: { id: 'invalid-operation' } }, method)
  }
})
