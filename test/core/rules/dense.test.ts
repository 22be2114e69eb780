/** Rules on very dense data: it is read in parts, and what follows is the same as if it had been read at once. */
import t from 'tap'
import type { RuleState } from '../../../schemas/rule.js'
import type { Client } from '../../support/coffer.js'
import { WatchedRules } from '../../../core/rules/watched-rules.js'
import { inRotation } from '../../support/rotation.js'
import { until } from '../../support/socket.js'
import { addRule, evaluated, readState, startWorld } from './world.js'

/** Points of ten minutes. */
const [count, seconds] = [60_000, 600]

/** Adds the points of the last ten minutes at once, and waits until a rule has seen them. `getValue`: by the seconds since the first one. `prepare`: called before, with the time of the first. */
async function addPoints(
  client: Client,
  rule: string,
  getValue: (at: number) => number,
  { prepare, type = 'frequency/bpm' }: { prepare?: (time: number) => Promise<void>; type?: string } = {}
): Promise<number> {
  const { clock } = client.service
  const time = clock.now()
  const { id } = await client.event({
    streamIds: ['body'],
    type: `series:${type}`,
    time,
    content: null
  })
  const points = Array.from({ length: count }, (_, index) => {
    const at = (index * seconds) / count
    return [at, getValue(at)]
  })
  clock.advance(seconds)
  await prepare?.(time)
  await client.do('series.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  const last = time + points.at(-1)![0]!
  await until(() => (readState(client, rule)?.seenTo ?? 0) > last - 1e-3, 'all points are seen')
  return time
}

/** Counts the states of a rule that are noted while it is evaluated. */
function recordStates({ service, username }: Client, id: string): RuleState[] {
  const { accounts } = service.server.services
  const { rules } = accounts.openStore(accounts.find(username)!)
  const states: RuleState[] = []
  for (const name of ['noteState', 'setState'] as const) {
    const set = rules[name].bind(rules)
    rules[name] = (rule, state) => {
      if (rule === id) states.push(state)
      set(rule, state)
    }
  }
  return states
}

const test = inRotation(t, 2)

test('the last of very many numbers counts, and few are read at once', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'above', measure: 'heart-rate', value: 150 })
  const states = recordStates(alice, id)
  const last = ((count - 1) * seconds) / count
  const time = await addPoints(alice, id, at => (at === last ? 200 : 60))
  const state = readState(alice, id)!
  t.match(state, { isFiring: true, value: 200 })
  t.ok(Math.abs(state.firedAt! - time - last) < 1e-3)
  const seen = states.map(({ seenTo = 0 }) => seenTo - time).filter(at => at >= 0)
  t.ok(seen.length >= 3, `read in ${seen.length} parts`)
  const widths = seen.map((at, index) => at - (seen[index - 1] ?? 0))
  t.ok(Math.max(...widths) <= (20_001 * seconds) / count, `seconds of each: ${widths.join(', ')}`)
})

test('what holds in a part does not fire before the rest is read', async t => {
  const { alice, channel } = await startWorld(t)
  const condition = { kind: 'above', measure: 'heart-rate', value: 150, for: 60 }
  const short = await addRule(alice, channel, condition)
  // Above for 50 seconds, where the first part ends.
  await addPoints(alice, short, at => (at > 55 && at < 105 ? 200 : 60))
  t.match(readState(alice, short)!, { isFiring: false, episode: 0 })
  const long = await addRule(alice, channel, condition)
  const time = await addPoints(alice, long, at => (at > 55 && at < 155 ? 200 : 60))
  const state = readState(alice, long)!
  t.match(state, { isFiring: false, episode: 1 })
  t.ok(Math.abs(state.firedAt! - time - 115) < 1, 'once it has held long enough')
  t.ok(Math.abs(state.recoveredAt! - time - 155) < 1)
})

test('changes are compared with the lowest number of dense data before', async t => {
  const { alice, channel } = await startWorld(t)
  const condition = { kind: 'changing', measure: 'heart-rate', by: 60, within: 1500, direction: 'up' }
  const id = await addRule(alice, channel, condition)
  await addPoints(alice, id, at => (at > 300 && at < 301 ? 50 : 100))
  t.match(readState(alice, id)!, { isFiring: false, episode: 0 }, '50 above the lowest')
  await addPoints(alice, id, at => (at > 500 && at < 501 ? 115 : 100))
  t.match(readState(alice, id)!, { episode: 1 }, '65 above the lowest of the ten minutes before')
})

test('a number after dense data of the time before is not too late', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const condition = { kind: 'changing', measure: 'heart-rate', by: 60, within: 3600, direction: 'up' }
  const id = await addRule(alice, channel, condition)
  await addPoints(alice, id, () => 100)
  clock.advance(3600 - seconds / 2)
  for (const content of [101, 102]) {
    await alice.event({ streamIds: ['body'], type: 'frequency/bpm', time: clock.now(), content })
    await evaluated(alice, id)
    clock.advance(10)
  }
  await alice.event({ streamIds: ['body'], type: 'frequency/bpm', time: clock.now(), content: 170 })
  t.match(await evaluated(alice, id), { isFiring: true, value: 170 })
})

test('amounts after very many others are seen', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const condition = { kind: 'changing', measure: 'steps', by: 60, within: 3600, direction: 'up' }
  const id = await addRule(alice, channel, condition)
  await addPoints(alice, id, () => 10, { type: 'count/steps' })
  for (const content of [15, 80]) {
    clock.advance(10)
    await alice.event({ streamIds: ['body'], type: 'count/steps', time: clock.now(), content })
    t.match(await evaluated(alice, id), { isFiring: content === 80 })
  }
})

test('what was passed over is noted once while dense data is read', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'above', measure: 'heart-rate', value: 150 })
  const noted: number[] = []
  const { putBack } = WatchedRules.prototype
  t.teardown(() => void (WatchedRules.prototype.putBack = putBack))
  WatchedRules.prototype.putBack = function (rule, unseen) {
    noted.push(unseen.passed.length)
    putBack.call(this, rule, unseen)
  }
  await addPoints(alice, id, at => (at % 50 < 25 ? 200 : 60), {
    async prepare(time) {
      for (let count = 5; count > 0; count--)
        await alice.event({ streamIds: ['body'], type: 'frequency/bpm', time: time - count, content: 60 })
    }
  })
  t.ok(noted.length >= 3, `put back ${noted.length} times`)
  t.equal(Math.max(...noted), 5, `times each: ${noted.join(', ')}`)
})
