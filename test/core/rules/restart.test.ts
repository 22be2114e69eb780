/** Rules of a service that is started again: what was due in between is done, once. */
import t from 'tap'
import { startServer } from '../../../server/server.js'
import { Client, methodModules, Service, testSettings } from '../../support/coffer.js'
import { ManualClock } from '../../../core/time.js'
import { until } from '../../support/socket.js'
import { addChannel, addRule, countMessages, evaluated, measure, noon, readState } from './world.js'

t.test('a rule that has nothing to do is still there after several starts', async t => {
  const directory = t.testdir({})
  const clock = new ManualClock(noon)
  const start = async (): Promise<Service> =>
    new Service(
      await startServer(testSettings(directory, { workers: 0 }), { clock, methodModules }),
      clock,
      directory
    )
  let service = await start()
  const { access } = await service.user('alice')
  let alice = new Client(service, 'alice', access)
  await alice.stream('body')
  const channel = await addChannel(alice)
  const id = await addRule(alice, channel, { kind: 'above', measure: 'heart-rate', value: 100 })
  for (let round = 0; round < 3; round++) {
    const { accounts, platform } = service.server.services
    t.ok(platform.timedAccounts.has(accounts.find('alice')!.id), 'the next start will look for it')
    await service.server.close()
    service = await start()
    alice = new Client(service, 'alice', access)
    clock.advance(60)
    await until(() => (readState(alice, id)?.evaluatedTo ?? 0) > noon, 'the start')
  }
  t.match(await measure(alice, id, { content: 120 }), { isFiring: true })
  t.equal(await countMessages(alice, channel), 1)
  await service.server.close()
})

t.test('work that has become due while the service was stopped', async t => {
  const directory = t.testdir({})
  const clock = new ManualClock(noon)
  const start = async (): Promise<Service> => {
    const server = await startServer(testSettings(directory, { workers: 0 }), { clock, methodModules })
    return new Service(server, clock, directory)
  }
  let service = await start()
  const { access } = await service.user('alice')
  let alice = new Client(service, 'alice', access)
  await alice.stream('body')
  const channel = await addChannel(alice)
  const held = await addRule(alice, channel, { kind: 'above', measure: 'heart-rate', value: 100, for: 600 })
  const silent = await addRule(alice, channel, { kind: 'missing', measure: 'heart-rate', for: 3600 })
  const quiet = await addRule(
    alice,
    channel,
    { kind: 'above', measure: 'heart-rate', value: 100 },
    { quietHours: { from: '11:00', to: '13:00' } }
  )
  await measure(alice, held, { content: 120 })
  await evaluated(alice, quiet)
  t.match(readState(alice, quiet), { isFiring: true, tellAt: noon + 3600 })
  await service.server.close()

  clock.advance(4000)
  service = await start()
  alice = new Client(service, 'alice', access)
  for (const id of [held, silent, quiet])
    t.match(await evaluated(alice, id), { isFiring: true, toldEpisode: 1 }, id)
  t.equal(await countMessages(alice, channel), 3)
  await service.server.close()

  service = await start()
  alice = new Client(service, 'alice', access)
  clock.advance(1)
  await measure(alice, held, { content: 130 })
  t.equal(await countMessages(alice, channel), 3, 'nothing is repeated')
  await service.server.close()
})

t.test('a daily goal whose hour has passed while the service was stopped is told once', async t => {
  const directory = t.testdir({})
  const clock = new ManualClock(noon)
  const start = async (): Promise<Client> => {
    const server = await startServer(testSettings(directory, { workers: 0 }), { clock, methodModules })
    return new Client(new Service(server, clock, directory), 'alice', access)
  }
  const server = await startServer(testSettings(directory, { workers: 0 }), { clock, methodModules })
  const first = new Service(server, clock, directory)
  const { access } = await first.user('alice')
  let alice = new Client(first, 'alice', access)
  await alice.stream('body')
  const channel = await addChannel(alice)
  const walk = { streamIds: ['body'], type: 'count/steps', content: 4000 }
  await alice.event({ ...walk, time: noon - 60 })
  const total = { kind: 'total', measure: 'steps', by: '20:00' }
  const missed = await addRule(alice, channel, { ...total, atLeast: 10_000 })
  const reached = await addRule(alice, channel, { ...total, atLeast: 3000 })
  await first.server.close()

  // Until six o'clock of the next day.
  clock.advance(18 * 3600)
  alice = await start()
  t.match(await evaluated(alice, missed), { isFiring: true, toldEpisode: 1, value: 4000 })
  t.match(await evaluated(alice, reached), { isFiring: false, episode: 0 })
  t.equal(await countMessages(alice, channel), 1)
  await alice.do('rules.delete', { id: reached })
  await alice.service.server.close()

  clock.advance(60)
  alice = await start()
  t.match(await evaluated(alice, missed), { isFiring: true, episode: 1 })
  t.equal(await countMessages(alice, channel), 1, 'nothing is repeated')

  clock.advance(20 * 3600 - ((clock.now() - noon + 12 * 3600) % 86_400))
  t.match(
    await evaluated(alice, missed),
    { isFiring: true, episode: 2, value: 0 },
    'the day itself counts too'
  )
  await alice.service.server.close()

  // A week later, only the day before counts.
  clock.advance(7 * 86_400 - 14 * 3600)
  alice = await start()
  t.match(await evaluated(alice, missed), { episode: 3 })
  t.equal(await countMessages(alice, channel), 3)
  await alice.service.server.close()
})
