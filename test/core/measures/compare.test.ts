import t from 'tap'
import { correlateRanks } from '../../../core/measures/rank-correlation.js'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { seeded } from '../../support/random.js'

/** The textbook's hours of television by intelligence: rho is -29/165. */
const television: [number, number][] = [
  [106, 7],
  [86, 0],
  [100, 27],
  [101, 50],
  [99, 28],
  [103, 29],
  [97, 20],
  [113, 12],
  [112, 6],
  [110, 17]
]

/** `expected`: comparisons, rho, and the interval of Bonett and Wright, as SciPy computes them. */
const scipy: readonly { x: number[]; y: number[]; expected: [number, number, number, number][] }[] = [
  {
    x: [1, 2, 2, 3, 4, 4, 4, 5, 6, 7, 8, 8],
    y: [3, 1, 4, 4, 2, 5, 6, 6, 6, 9, 8, 10],
    expected: [
      [1, 0.8752242068767291, 0.5274946442287449, 0.9717781622924897],
      [7, 0.8752242068767291, 0.29172173005926766, 0.9839802157862558]
    ]
  },
  {
    x: [5.1, 4.9, 6.2, 5.8, 6, 5.5, 5.3, 6.7, 6.3, 5, 5.9, 6.1, 5.7, 6.5],
    y: [7.2, 8.1, 6, 6.6, 6.4, 7, 6.9, 5.1, 6.2, 7.9, 6.6, 5.8, 7.1, 5.5],
    expected: [
      [1, -0.9636969527904214, -0.9911927143750876, -0.8565455419245818],
      [7, -0.9636969527904214, -0.994821076879886, -0.7673399546573267]
    ]
  }
]

const close = (value: number, expected: number): boolean => Math.abs(value - expected) < 1e-6
const mean = (all: number[]): number => all.reduce((sum, each) => sum + each, 0) / all.length
/** The number of smaller values, and half of the equal ones. */
const rank = (all: number[], value: number): number =>
  all.filter(each => each < value).length + (all.filter(each => each === value).length + 1) / 2

async function compare(client: Client, more: object = {}): Promise<Answer[]> {
  const range = { from: '2026-01-01', to: '2026-02-09', zone: 'Europe/Zurich' }
  const params = { measure: 'weight', other: 'steps', ...range, ...more }
  return (await client.do('measures.compare', params)).lags
}

t.test('rank correlation', async t => {
  t.test('agrees with a textbook, and its interval with the formula', async t => {
    for (const [comparisons, low, high] of [
      [1, -0.7278300310084422, 0.5145466659622531],
      [7, -0.8343212964283385, 0.6894918380214853]
    ] as const) {
      const found = correlateRanks(television, comparisons)!
      t.ok(close(found.rho, -29 / 165))
      t.ok(close(found.low, low) && close(found.high, high), JSON.stringify(found))
    }
  })

  t.test('agrees with its definition, with many equal values', async t => {
    const random = seeded(t)
    for (let round = 0; round < 200; round++) {
      const count = 10 + random.below(50)
      const kinds = 2 + random.below(10)
      const pairs = Array.from({ length: count }, (): [number, number] => {
        const a = random.below(kinds)
        return [a, random.chance(0.5) ? a : random.below(kinds)]
      })
      const [xs, ys] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)]
      const [ranksX, ranksY] = [xs.map(x => rank(xs, x)), ys.map(y => rank(ys, y))]
      const [middleX, middleY] = [mean(ranksX), mean(ranksY)]
      const sum = (f: (at: number) => number): number => ranksX.reduce((all, _, at) => all + f(at), 0)
      const expected =
        sum(at => (ranksX[at]! - middleX) * (ranksY[at]! - middleY)) /
        Math.sqrt(sum(at => (ranksX[at]! - middleX) ** 2) * sum(at => (ranksY[at]! - middleY) ** 2))
      const found = correlateRanks(pairs)
      if (Number.isNaN(expected)) t.equal(found, undefined)
      else {
        t.ok(Math.abs(found!.rho - expected) < 1e-9, `${found!.rho} is ${expected}`)
        t.ok(found!.low <= found!.rho && found!.rho <= found!.high && found!.low >= -1 && found!.high <= 1)
      }
    }
  })

  t.test('agrees with SciPy 1.17.1 (spearmanr, norm.ppf), with equal values, too', async t => {
    for (const { expected, x, y } of scipy) {
      const pairs = x.map((value, at) => [value, y[at]!] as const)
      for (const [comparisons, rho, low, high] of expected) {
        const found = correlateRanks(pairs, comparisons)!
        t.ok(close(found.rho, rho) && close(found.low, low) && close(found.high, high), JSON.stringify(found))
      }
    }
  })

  t.test('says nothing of few pairs, and of values that never change', async t => {
    t.equal(correlateRanks(television.slice(1)), undefined)
    t.equal(correlateRanks(television.map(([a]) => [a, 5] as const)), undefined)
  })
})

t.test('measures.compare', async t => {
  const { alice } = await openCoffer(t)
  for (const id of ['scale', 'watch']) await alice.stream(id)
  const day = 86_400
  const start = Date.UTC(2026, 0, 1, 12) / 1000
  const weights = Array.from({ length: 40 }, (_, at) => 70 + ((at * 7) % 11))
  for (const [at, weight] of weights.entries()) {
    await alice.event({ streamIds: ['scale'], type: 'mass/kg', time: start + at * day, content: weight })
    // More steps two days after a low weight.
    const steps = { streamIds: ['watch'], type: 'count/steps', time: start + (at + 2) * day }
    if (at !== 5) await alice.event({ ...steps, duration: 3600, content: 20_000 - weight * 100 })
  }

  await t.test('finds the lag', async t => {
    const lags = await compare(alice)
    t.same(
      lags.map(({ lag }) => lag),
      [-3, -2, -1, 0, 1, 2, 3]
    )
    t.match(lags[5], { days: 37, rho: -1, low: -1, high: -1 })
    t.ok(lags.every(({ lag, rho }) => lag === 2 || Math.abs(rho) < 0.9))
    const [only, ...others] = await compare(alice, { maxLag: 0 })
    t.same([only!.lag, others.length], [0, 0])
    t.ok(only!.high - only!.low < lags[3]!.high - lags[3]!.low, 'one comparison has a narrower interval')
    const back = await compare(alice, { measure: 'steps', other: 'weight' })
    t.equal(back[1]!.rho, -1)
  })

  await t.test('uses only days and streams that the caller may see', async t => {
    const scale = await alice.grant('read', 'scale')
    t.same(await compare(scale, { maxLag: 0 }), [{ lag: 0, days: 0 }])
    const both = await alice.grantAll([
      { streamId: 'scale', level: 'read' },
      { streamId: 'watch', level: 'read' }
    ])
    t.equal((await compare(both))[5]!.rho, -1)
    t.same(await compare(both, { streams: ['scale'], maxLag: 0 }), [{ lag: 0, days: 0 }])
    t.match(await compare(alice, { from: '2026-01-01', to: '2026-01-09', maxLag: 0 }), [
      { lag: 0, rho: undefined }
    ])
  })
})
