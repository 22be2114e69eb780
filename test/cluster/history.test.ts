/** The history checker detects every history that is not linearizable, and no other. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { Random } from '../support/random.js'
import { RegisterHistory, SetHistory } from './history.js'

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)

/** Lets time pass between two steps of a history. */
async function tick(): Promise<void> {
  const fromMs = performance.now()
  while (performance.now() <= fromMs) await wait(1)
}

/**
 * Runs steps and returns the faults: `w1` starts writing 1, `a1` acknowledges it, `r` starts a read, `=1` ends the
 * oldest read with 1.
 */
async function told(story: string, lateMs?: number): Promise<string[]> {
  const history = new RegisterHistory(0, lateMs)
  const acknowledgements = new Map<number, () => void>()
  const begun: number[] = []
  for (const step of story.split(' ')) {
    const value = Number(step.slice(1))
    if (step.startsWith('w')) acknowledgements.set(value, history.write(value))
    else if (step.startsWith('a')) acknowledgements.get(value)!()
    else if (step === 'r') begun.push(performance.now())
    else history.read(value, begun.shift()!)
    await tick()
  }
  return history.faults()
}

const stories: readonly [name: string, story: string, isRight: boolean][] = [
  ['what was written', 'r =0 w1 a1 r =1', true],
  ['a write that nobody knows of', 'w1 r =0 r =1 r =1', true],
  ['one that arrives late', 'w1 w2 a2 r =2 r =1', true],
  ['one that never arrives', 'w1 w2 a2 r =2 r =2', true],
  ['either, while it is written', 'w1 r r =1 =0 a1', true],
  ['two writers at once', 'w1 w2 a1 a2 r =1 r =1', true],
  ['an acknowledged write that is lost', 'w1 a1 r =0', false],
  ['what was true before it was read', 'w1 r =1 r =0 a1', false],
  ['what was there before another write', 'w1 a1 r =1 w2 a2 r =1', false],
  ['one that arrives twice', 'w1 r =1 w2 a2 r =2 r =1', false],
  ['a value from nowhere', 'r =3', false],
  ['a value before it is written', 'r =3 w3 a3', false]
]

t.test('a register', async t => {
  for (const [name, story, isRight] of stories) t.equal((await told(story)).length === 0, isRight, name)
})

t.test('a write takes effect while its client may still wait for it, or never', async t => {
  t.same(await told('w1 w2 a2 r =2 r =1'), [])
  t.match(await told('w1 w2 a2 r =2 r =1', 0), [/^1 was seen before and after 2/])
  t.same(await told('w1 w2 a2 r =2 r =2', 0), [], 'never')
})

t.test('a fault of a register lists all calls that show it', async t => {
  const history = new RegisterHistory(0)
  for (const value of [1, 2]) {
    history.write(value)(`n${value}`)
    await tick()
  }
  history.read(1, performance.now(), 'n3')
  const [fault, ...others] = history.faults()
  t.match(
    fault,
    /^1 was seen before and after 2, .*\n {2}1 written [\d.–]+ at n1; read [\d.–]+ at n3\n {2}2 written .* at n2; read/
  )
  t.same(others, [])
})

/** Returns the faults of a set after a read of these elements. */
function elements(set: SetHistory, text: string, fromMs = performance.now()): string[] {
  set.read(text.split(' '), fromMs)
  return set.faults()
}

t.test('a set', async t => {
  const set = new SetHistory()
  const added = set.add('one')
  t.same(elements(set, 'before'), [], 'something else')
  added()
  t.same(elements(set, 'one before'), [])
  set.add('two')
  await tick()
  t.same(elements(set, 'one'), [], 'one that nobody knows of')
  t.same(elements(set, 'one two'), [])
  await tick()
  const three = set.add('three')
  const early = performance.now()
  await tick()
  three()
  t.same(elements(set, 'one two', early), [], 'a read that began before')

  const lost = new SetHistory()
  lost.add('one')()
  await tick()
  t.match(elements(lost, ''), [/1 of 1 are lost, such as "one"/])
  const older = new SetHistory()
  const before = performance.now()
  older.add('one')()
  await tick()
  older.add('two')
  await tick()
  t.not(elements(older, 'two', before).length, 0, 'a newer one without an older one')
  const gone = new SetHistory()
  gone.add('one')
  t.same(elements(gone, 'one'), [])
  await tick()
  t.not(elements(gone, '').length, 0, 'what was seen and is missing later')
  const divided = new SetHistory()
  divided.add('one')
  divided.add('two')
  const both = performance.now()
  t.same(elements(divided, 'one', both), [])
  t.not(elements(divided, 'two', both).length, 0, 'two that each lack what the other has')
  const twice = new SetHistory()
  twice.add('one')
  t.not(elements(twice, 'one one').length, 0, 'one that is there twice')
})

t.test(`a linearizable register, and one with a stale copy (COFFER_TEST_SEED=${seed})`, async t => {
  const random = new Random(seed)
  let noticed = 0
  for (let round = 0; round < 20; round++) {
    const history = new RegisterHistory(0)
    const stale = new RegisterHistory(0)
    let [value, former, next] = [0, 0, 0]
    const call = async (): Promise<void> => {
      for (let times = 0; times < 8; times++) {
        const fromMs = performance.now()
        const isWrite = random.chance(0.5)
        const mine = ++next
        const done = isWrite && [history.write(mine), stale.write(mine)]
        await wait(random.below(3))
        if (done) [former, value] = [value, mine]
        const [seen, old] = [value, random.chance(0.5) ? former : value]
        await wait(random.below(3))
        if (done) for (const each of done) each()
        else {
          history.read(seen, fromMs)
          stale.read(old, fromMs)
        }
      }
    }
    await Promise.all([call(), call(), call()])
    t.same(history.faults(), [])
    if (stale.faults().length > 0) noticed++
  }
  // The number of detectable faults depends on timing.
  t.ok(noticed > 2, `${noticed} of 20 noticed`)
})
