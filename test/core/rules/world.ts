/** What the tests of rules share: a channel that is never called, and waiting until a rule has been evaluated. */
import { setImmediate } from 'node:timers/promises'
import type { Test } from 'tap'
import type { RuleState } from '../../../schemas/rule.js'
import { openCoffer, type Answer, type Client, type Overrides, type Service } from '../../support/coffer.js'
import { until } from '../../support/socket.js'

/** 15 November 2023, a Wednesday, 12:00 UTC. */
export const noon = 1_700_049_600

export interface World extends Service {
  readonly alice: Client
  /** Id of a channel of alice. */
  readonly channel: string
}

/** Starts a service in this thread, at {@link noon}. Messages stay where the test can count them. */
export async function startWorld(t: Test, overrides: Overrides = {}): Promise<World> {
  const service = await openCoffer(t, { shutdownSeconds: 0.4, ...overrides })
  const { alice, clock } = service
  clock.advance(noon - clock.now())
  await alice.stream('body')
  await alice.stream('diary')
  return Object.assign(service, { channel: await addChannel(alice) })
}

/** Adds a channel whose target refuses to be called: it is internal. */
export async function addChannel(client: Client): Promise<string> {
  const target = { url: 'http://127.0.0.1:9' }
  return (await client.do('channels.create', { type: 'webhook', name: 'phone', target })).channel.id
}

/** Adds a rule that tells a channel at most every minute. */
export async function addRule(
  client: Client,
  channel: string,
  condition: object,
  fields: object = {}
): Promise<string> {
  const { rule } = await client.do('rules.create', {
    name: 'rule',
    channelIds: [channel],
    atMostEvery: 60,
    condition,
    ...fields
  })
  await evaluated(client, rule.id)
  return rule.id
}

/** Returns the state of a rule as it is stored. */
export function readState({ service, username }: Client, id: string): RuleState | undefined {
  const { accounts } = service.server.services
  return accounts.openStore(accounts.find(username)!).rules.find(id)?.state
}

/** Waits until a rule has been evaluated at the present time of the clock. */
export async function evaluated(client: Client, id: string): Promise<RuleState> {
  const { clock, server } = client.service
  const { accounts } = server.services
  await server.settle()
  // What follows from the changes so far is queued in this turn, before the write.
  await setImmediate()
  await accounts.openStore(accounts.find(client.username)!).write(() => undefined)
  await until(() => (readState(client, id)?.evaluatedTo ?? 0) >= clock.now(), `an evaluation of ${id}`)
  return readState(client, id)!
}

/** Moves the clock, and waits until a rule has been evaluated that was due. */
export async function pass(client: Client, id: string, seconds: number): Promise<RuleState> {
  client.service.clock.advance(seconds)
  return await evaluated(client, id)
}

/** A number: by default a heart rate of now, a minute after the last one. Seconds. */
interface Measured {
  readonly content: unknown
  readonly after?: number
  readonly age?: number
  readonly type?: string
  readonly streamIds?: string[]
}

/** Stores a number of a measure after some seconds, and waits until a rule has been evaluated. */
export async function measure(
  client: Client,
  id: string,
  { after = 60, age = 0, ...fields }: Measured
): Promise<RuleState> {
  const { clock } = client.service
  clock.advance(after)
  await client.event({ streamIds: ['body'], type: 'frequency/bpm', time: clock.now() - age, ...fields })
  return await evaluated(client, id)
}

/** Returns the last event of a type. */
export async function findLast(client: Client, type = 'frequency/bpm'): Promise<Answer> {
  return (await client.do('events.get', { types: [type], limit: 1, state: 'all' })).events[0]
}

/** Changes something, and waits until a rule has been evaluated that notices. */
export async function change(client: Client, id: string, method: string, params: object): Promise<RuleState> {
  client.service.clock.advance(1)
  await client.do(method, params)
  return await evaluated(client, id)
}

/** Returns the messages about rules that a channel has got, the first one first. */
export async function listMessages(client: Client, channel: string): Promise<Answer[]> {
  const { deliveries } = await client.do('channels.getOne', { id: channel })
  return deliveries.filter(({ source }: Answer) => source.kind === 'rule').toReversed()
}

/** Returns how many messages about rules a channel has got. */
export async function countMessages(client: Client, channel: string): Promise<number> {
  return (await listMessages(client, channel)).length
}
