/** What the tests of reminders share: a service, and reminders of its user. */
import type { Test } from 'tap'
import { openCoffer, type Answer, type Client, type Overrides, type Service } from '../../support/coffer.js'
import { until } from '../../support/socket.js'

export type World = Service & { alice: Client }

/** The time at which the tests start, in seconds: 08:00 in Zurich. */
export const start = Date.parse('2023-11-15T07:00:00Z') / 1000

/** Starts a service whose user has the stream `pills`, at {@link start}. */
export async function startWorld(t: Test, overrides: Overrides = {}): Promise<World> {
  const world = await openCoffer(t, {
    shutdownSeconds: 0.4,
    ...overrides,
    channels: { allowInternalTargets: true, ...overrides.channels }
  })
  await world.alice.stream('pills')
  world.clock.advance(start - world.clock.now())
  return world
}

/** Creates a reminder: every day at 09:00 in Zurich. */
export async function addReminder(client: Client, fields: object = {}): Promise<Answer> {
  const { reminder } = await client.do('reminders.create', {
    name: 'Blood pressure pill',
    kind: 'medication',
    schedule: { times: ['09:00'] },
    zone: 'Europe/Zurich',
    streamId: 'pills',
    event: { type: 'note/txt', content: '5 mg' },
    ...fields
  })
  return reminder
}

/** Waits until a reminder has been due so many times; returns the times, latest first. */
export async function becomesDue(client: Client, id: string, count: number): Promise<Answer[]> {
  let occurrences: Answer[] = []
  await until(async () => {
    ;({ occurrences } = await client.do('reminders.getOne', { id }))
    return occurrences.length >= count
  }, `${count} times at which it was due`)
  return occurrences
}
