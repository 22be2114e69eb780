/** Random tables of many countries, programs and zones: each value is correct, asked about, or skipped by name. */
import t from 'tap'
import { seeded, Random } from '../../support/random.js'
import { collected, type Collected } from '../collecting.js'
import { judge, type Judgement } from './judging.js'
import { randomTable, type RandomTable } from './random-table.js'

/** Number of tables; set by `COFFER_TEST_TABLES`. */
const tables = Number(
  process.env['COFFER_TEST_TABLES'] ?? (process.env['COFFER_TEST_LONG'] === '1' ? 10_000 : 150)
)

/** Answers the questions about a table according to how it was generated. */
async function answered(
  { bytes, locale, times }: RandomTable,
  { tables: [view] }: Collected
): Promise<Collected> {
  const mapping = {
    ...view!.mapping!,
    dates: times.order,
    decimals: locale.decimal === ',' ? ('comma' as const) : ('point' as const)
  }
  return collected(bytes, 'table.csv', {
    ...(times.zone !== undefined && { zone: times.zone }),
    mappings: { [view!.header]: mapping }
  })
}

t.test('each value of a random table is correct, asked about, or skipped by name', async t => {
  const base = Math.floor(seeded(t).next() * 1e9)
  const first = Number(process.env['COFFER_TEST_TABLE'] ?? 0)
  const figures = { tables: 0, right: 0, asked: 0, answered: 0, wrong: 0, unread: 0 }
  const reasons = new Map<string, number>()
  const fail = (at: number, table: RandomTable, { faults }: Judgement): void => {
    figures.wrong += faults.length
    t.fail(
      `COFFER_TEST_TABLE=${at}: ${table.locale.name}, zone ${table.times.zone}\n${faults.slice(0, 4).join('\n')}\n${table.text.slice(0, 900)}`
    )
  }
  for (let at = first; at < first + tables; at++) {
    const table = randomTable(new Random(base + at))
    figures.tables++
    const { zone } = table.times
    let found: Collected
    try {
      found = await collected(table.bytes, 'table.csv', { ...(zone !== undefined && { zone }) })
    } catch (error) {
      figures.unread++
      fail(at, table, { right: 0, asked: 0, left: new Map(), faults: [String(error)] })
      continue
    }
    const judged = judge(table, found)
    figures.right += judged.right
    figures.asked += judged.asked
    for (const [reason, count] of judged.left) reasons.set(reason, (reasons.get(reason) ?? 0) + count)
    if (judged.faults.length > 0) fail(at, table, judged)
    if (found.tables.some(({ questions }) => questions !== undefined)) {
      const after = judge(table, await answered(table, found))
      figures.answered += after.right - judged.right
      if (after.faults.length > 0) fail(at, table, after)
    }
  }
  t.comment(JSON.stringify({ ...figures, left: Object.fromEntries(reasons) }))
  t.ok(figures.right > tables * 5, 'most of it is understood')
})
