/** What the tests of channels share: a service whose channels may be on loopback, and how messages are queued. */
import type { Test } from 'tap'
import type { ChannelMessage } from '../../../core/channels/queue-message.js'
import { queueMessage } from '../../../core/channels/queue-message.js'
import type { Log } from '../../../core/log.js'
import { writeAsService } from '../../../core/cmc/service-calls.js'
import { openCoffer, type Answer, type Client, type Overrides, type Service } from '../../support/coffer.js'
import { until } from '../../support/socket.js'

export type World = Service & { alice: Client }

/** Starts a service in this thread. */
export async function startWorld(t: Test, overrides: Overrides = {}, log?: Log): Promise<World> {
  return await openCoffer(
    t,
    {
      shutdownSeconds: 0.4,
      ...overrides,
      channels: { allowInternalTargets: true, ...overrides.channels }
    },
    log
  )
}

/** Queues a message of a rule, in a transaction of its own. Returns the number of channels that get it. */
export async function queue(
  { service, username }: Client,
  message: Pick<ChannelMessage, 'channelIds' | 'key'> & Partial<ChannelMessage>
): Promise<number> {
  const { services } = service.server
  const account = services.accounts.find(username)!
  return await writeAsService(services, account, call =>
    queueMessage(call, {
      title: 'Glucose',
      text: 'Below 4 mmol/l',
      urgency: 'normal',
      page: 'alerts/1',
      source: { kind: 'rule', id: 'rule-1' },
      ...message
    })
  )
}

/** Creates a channel. */
export async function addChannel(client: Client, type: string, target: object): Promise<Answer> {
  return (await client.do('channels.create', { type, name: type, target })).channel
}

/** Waits until the latest message of a channel is in a state; returns the messages. */
export async function reaches(
  client: Client,
  id: string,
  state: string,
  attempts?: number
): Promise<Answer[]> {
  let deliveries: Answer[] = []
  await until(
    async () => {
      ;({ deliveries } = await client.do('channels.getOne', { id }))
      const [last] = deliveries
      return last?.state === state && (attempts === undefined || last.attempts === attempts)
    },
    `a message that is ${state} (${attempts ?? 'any'})`
  )
  return deliveries
}
