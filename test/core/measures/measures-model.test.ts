/** The measure methods compared with `events.get` and `hfs.get` for the same caller, while everything changes. */
import t from 'tap'
import { MeasuresWorld } from '../../support/measures-world.js'
import { Random } from '../../support/random.js'

const isLong = process.env['COFFER_TEST_LONG'] !== undefined
/** The short form runs one of the seeds of the long form. */
const seeds = isLong ? 60 : 1
const firstSeed = Number(process.env['COFFER_TEST_SEED'] ?? (isLong ? 1 : 1 + (Date.now() % 60)))
const rounds = isLong ? 300 : 60

// A seed of the long form takes most of a minute of a processor.
t.setTimeout(isLong ? 7_200_000 : 1_800_000)

for (let seed = firstSeed; seed < firstSeed + seeds; seed++)
  t.test(`measures match events and points, seed ${seed}`, async t => {
    const random = new Random(seed)
    const world = await MeasuresWorld.open(t, random)
    for (let round = 0; round < rounds; round++) {
      await world.change()
      const wrong = await world.findDifference(random.pick(world.readers))
      if (!wrong) continue
      t.same(wrong.found, wrong.expected, `round ${round}: ${wrong.what}`)
      break
    }
    t.ok(world.compared > 0, `${world.compared} answers held something`)
  })
