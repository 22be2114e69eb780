/** A message that no engine server can read: a reader of it does not make the stream unavailable to others. */
import type { NatsConnection } from '@nats-io/transport-node'
import t from 'tap'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { lastMessage } from '../../../cluster/nats/last.js'

t.test('each server hands over the stream once', async t => {
  const names = ['n1', 'n2', 'n3']
  let handedOver = 0
  const answers = new Map<string, () => object>([
    ['MSG.GET', () => ({ error: { err_code: 10_037, description: 'no message found' } })],
    ['INFO', () => ({ cluster: { leader: names[handedOver % 3] }, state: { subjects: { one: 1 } } })],
    ['LEADER.STEPDOWN', () => ({ success: ++handedOver > 0 })]
  ])
  // As three servers respond that each have a damaged replica of the same record.
  const connection = {
    async request(subject: string) {
      const [, question = ''] = /^\$JS\.API\.STREAM\.(.*)\.LOG$/.exec(subject) ?? []
      return await Promise.resolve({ data: Buffer.from(JSON.stringify(answers.get(question)!())) })
    }
  } as unknown as NatsConnection
  for (let times = 0; times < 20; times++)
    await t.rejects(lastMessage({ connection, timeoutMs: 1000 }, 'LOG', 'one'), EngineUnavailable)
  t.equal(handedOver, names.length)
})
