/** `events.sample` and `streams.facts` compared with `events.get` for the same caller, while everything changes. */
import t from 'tap'
import { Random } from '../../support/random.js'
import { World } from '../../support/values-world.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** The short form runs one of the seeds of the long form. */
const seeds = isLong ? 60 : 1
const firstSeed = Number(process.env['COFFER_TEST_SEED'] ?? (isLong ? 1 : 1 + (Date.now() % 60)))
const rounds = isLong ? 300 : 80

t.setTimeout(1_800_000)

for (let seed = firstSeed; seed < firstSeed + seeds; seed++)
  t.test(`samples and facts match the events, seed ${seed}`, async t => {
    const random = new Random(seed)
    const world = await World.open(t, random)
    // With some seeds, readers see little: these take more rounds.
    for (let round = 0; round < rounds || (world.compared <= rounds / 2 && round < 10 * rounds); round++) {
      await world.change()
      const reader = random.pick(world.readers)
      const wrong = (await world.sampleDiffers(reader)) ?? (await world.factsDiffer(reader))
      if (!wrong) continue
      t.same(wrong.found, wrong.expected, `round ${round}: ${wrong.what}`)
      break
    }
    t.ok(world.compared > rounds / 2, `${world.compared} answers held something`)
  })
