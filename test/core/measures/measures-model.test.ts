/** The measure methods compared with `events.get` and `hfs.get` for the same caller, while everything changes. */
import t from 'tap'
import { MeasuresWorld } from '../../support/measures-world.js'
import { Random } from '../../support/random.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** Of 60 seeds, the long form runs 40 in a row, the short form one, in rotation. */
const seeds = isLong ? 40 : 1
const firstSeed = Number(process.env['COFFER_TEST_SEED'] ?? 1 + (Date.now() % (61 - seeds)))
const rounds = isLong ? 300 : 60

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
