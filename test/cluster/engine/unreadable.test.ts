/** A message that no server of the engine can read: who asks for it does not keep others from the stream. */
import type { NatsConnection } from '@nats-io/transport-node'
import t from 'tap'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { lastMessage } from '../../../cluster/nats/last.js'

t.test('each server hands the stream over once', async t => {
  const names = ['n1', 'n2', 'n3']
  let handedOver = 0
  const answers = new Map<string, () => object>([
    ['MSG.GET', () => ({ error: { err_code: 10_037, description: 'no message found' } })],
    ['INFO', () => ({ cluster: { leader: names[handedOver % 3] }, state: { subjects: { one: 1 } } })],
    ['LEADER.STEPDOWN', () => ({ success: ++handedOver > 0 })]
  ])
  // As three servers answer of which each has a damaged copy of the same record.
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
