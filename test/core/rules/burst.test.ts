/** Rules on much data: other work goes on, and nothing is read twice or kept. */
import t from 'tap'
import { pickEvents } from '../../../core/rules/read-events.js'
import { createRuleCall } from '../../../core/rules/rule-call.js'
import { createServiceCall } from '../../../core/cmc/service-calls.js'
import { runSteps } from '../../../storage/steps.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import type { Client } from '../../support/coffer.js'
import { addRule, evaluated, measure, pass, startWorld } from './world.js'
import { inRotation } from '../../support/rotation.js'

function getStore({ service, username }: Client): UserStore {
  const { accounts } = service.server.services
  return accounts.openStore(accounts.find(username)!)
}

const test = inRotation(t, 2)

test('many rules leave time for other work', async t => {
  const { alice, channel } = await startWorld(t)
  const ids: string[] = []
  for (let count = 0; count < 40; count++)
    ids.push(
      await addRule(alice, channel, {
        kind: 'changing',
        measure: 'heart-rate',
        by: 1e6,
        within: 3600,
        direction: 'up'
      })
    )
  const { rules } = getStore(alice)
  const noteState = rules.noteState.bind(rules)
  const counts: number[] = []
  let isNewTurn = true
  rules.noteState = (...args) => {
    if (isNewTurn) {
      isNewTurn = false
      counts.push(0)
      // Once all that follows at once is done: an immediate may come after the next turn, which is planned before it.
      process.nextTick(() => (isNewTurn = true))
    }
    counts[counts.length - 1]!++
    noteState(...args)
  }
  await measure(alice, ids.at(-1)!, { content: 80, after: 1 })
  for (const id of ids) await evaluated(alice, id)
  t.ok(Math.max(...counts) <= 10, `evaluated in a turn: ${counts.join(', ')}`)
})

test('what is usual in dense data is computed in turns, and not again with each number', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const day = 86_400
  for (let count = 1; count <= 28; count++) {
    const time = clock.now() - count * day
    const holder = await alice.event({
      streamIds: ['body'],
      type: 'series:frequency/bpm',
      time,
      content: null
    })
    for (let from = 0; from < day; from += 20_000) {
      const points = Array.from({ length: 10_000 }, (_, at) => [from + at * 2, 60 + (at % 25)])
      await alice.do('hfs.add', {
        id: holder.id,
        format: 'flatJSON',
        fields: ['deltaTime', 'value'],
        points
      })
    }
  }
  const { measures } = getStore(alice)
  const next = measures.next.bind(measures)
  let [pauses, inTurn, most] = [0, 0, 0]
  measures.next = run => {
    const result = next(run)
    if (result !== undefined) return result
    pauses++
    most = Math.max(most, ++inTurn)
    process.nextTick(() => (inTurn = 0))
    return result
  }
  const id = await addRule(alice, channel, { kind: 'outside', measure: 'heart-rate', range: 'usual' })
  await measure(alice, id, { content: 70 })
  t.ok(pauses > 2, `it pauses: ${pauses} times`)
  t.ok(most <= 2, `without a pause: ${most}`)
  const once = pauses
  pauses = 0
  await alice.do('streams.update', { id: 'body', update: { name: 'Body and heart' } })
  for (let count = 0; count < 3; count++) await measure(alice, id, { content: 70 })
  // A slow machine pauses in short reads, too.
  t.ok(pauses < once, `${pauses} pauses for three numbers, ${once} for what is usual`)
  t.match(await measure(alice, id, { content: 170 }), { isFiring: true })
})

test('data that goes on arriving is not stored with the rule each time', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'missing', measure: 'heart-rate', for: 3600 })
  await measure(alice, id, { content: 70 })
  const { rules } = getStore(alice)
  const setState = rules.setState.bind(rules)
  const stored: unknown[] = []
  rules.setState = (...args) => {
    stored.push(args)
    setState(...args)
  }
  for (let count = 0; count < 5; count++) await measure(alice, id, { content: 70, after: 1 })
  t.same(stored, [])
  t.match(await pass(alice, id, 3600), { isFiring: true })
})

test('an audit without reads that are watched is not read again', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const app = await alice.grant('read', 'body', { type: 'app', name: 'app' })
  const id = await addRule(alice, channel, { kind: 'looked', accessId: app.access.id })
  const { audit } = getStore(alice)
  const next = audit.next.bind(audit)
  const since: number[] = []
  audit.next = (range, ...rest) => {
    since.push(range.since)
    return next(range, ...rest)
  }
  for (let count = 0; count < 3; count++) {
    clock.advance(1)
    await alice.do('events.get')
    await evaluated(alice, id)
  }
  t.ok(since.at(-1)! > since[0]!, `read from: ${since.join(', ')}`)
  clock.advance(1)
  await app.do('events.get')
  t.match(await evaluated(alice, id), { episode: 1 }, 'what is watched counts')
  clock.advance(70)
  await alice.do('events.get')
  t.match(await evaluated(alice, id), { episode: 1 }, 'once')
})

test('large events are read in parts, up to a limit', async t => {
  const { alice, channel } = await startWorld(t)
  const id = await addRule(alice, channel, { kind: 'words', anyOf: ['word'] })
  for (let count = 0; count < 4; count++)
    await alice.event({ streamIds: ['diary'], content: 'x'.repeat(900_000) })
  const { services } = alice.service.server
  const store = getStore(alice)
  const { rule } = store.rules.find(id)!
  const call = createRuleCall(
    createServiceCall(services, services.accounts.find(alice.username)!, store),
    rule
  )!
  const pick = (maxLength: number): { readonly found: unknown[] | undefined; readonly pauses: number } => {
    const steps = pickEvents(
      () => call,
      { limit: 500, maxLength },
      event => event.id
    )
    let pauses = 0
    const found = runSteps(
      (function* () {
        for (;;) {
          const { done, value } = steps.next()
          if (done) return value
          pauses++
          yield
        }
      })()
    )
    return { found, pauses }
  }
  const all = pick(1e9)
  t.equal(all.found?.length, 4)
  t.ok(all.pauses > 0, 'it pauses')
  t.equal(pick(2_000_000).found?.length, 2, 'what exceeds the limit is omitted')
  t.equal(pick(10).found?.length, 1, 'the first one always counts')
})
