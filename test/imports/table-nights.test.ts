/** Nights in tables: time in bed, or sleep if their hours of sleep fill them. (docs/api/imports.md#tables) */
import t from 'tap'
import { collected, missing } from './collecting.js'

/** Returns a table with one night of eight hours per list of further cells. */
const nights = (header: string, ...cells: string[]): string =>
  [
    header,
    ...cells.map((cell, at) => `2024-05-0${at + 1} 23:00:00,2024-05-0${at + 2} 07:00:00,${cell}`),
    ''
  ].join('\n')

/** Returns the contents of the nights of a table. */
async function contents(table: string, name = 'table.csv'): Promise<unknown[]> {
  const all = await collected(table, name, { zone: 'Europe/Zurich' })
  t.equal(missing(all), 0)
  return all.data
    .filter(({ type }) => type === 'sleep/analysis')
    .map(({ content, duration, time }) => {
      const day = new Date((time + 7200) * 1000).toISOString().slice(0, 16)
      return [day, (content as { analysis: string }).analysis, duration]
    })
}

const asleep = ['2024-05-01T23:00', 'asleep', 28_800]
const inBed = ['2024-05-02T23:00', 'inBed', 28_800]

t.test('nights of tables are sleep if their hours of sleep fill them', async t => {
  for (const [header, full, short] of [
    ['Sleep start,Sleep end,Hours asleep', '8', '6.5'],
    ['Bedtime,Wake up,Asleep (min)', '480', '400'],
    ['Went to bed,Woke up,Time asleep (h)', '8', '7.1'],
    ['Einschlafzeit,Aufwachzeit,Geschlafen (h)', '8', '7.5'],
    ['Heure de coucher,Heure de lever,Heures de sommeil (h)', '8', '7.5'],
    ['sleep_start,sleep_end,deep (min),light (min),rem (min)', '100,300,80', '100,300,'],
    [
      'Sleep onset,Wake onset,Cycle timezone,Nap,Asleep duration (min)',
      'UTC+02:00,false,480',
      'UTC+02:00,false,400'
    ],
    [
      'start,stop,date,deepSleepTime,shallowSleepTime,REMTime',
      '2024-05-01,100,300,80',
      '2024-05-02,100,280,80'
    ]
  ] as const)
    t.same(await contents(nights(header, full, short)), [asleep, inBed], header)
  const dated =
    'Date,Sleep start,Sleep end,Sleep duration (h)\n2024-05-02,2024-05-01 23:00,2024-05-02 07:00,8\n'
  t.same(
    await contents(dated),
    [['2024-05-01T23:00', 'inBed', 28_800]],
    'a duration may be that between both times'
  )
  t.same(await contents(nights('Sleep start,Sleep end,Notes', 'fine', 'bad')), [
    ['2024-05-01T23:00', 'inBed', 28_800],
    inBed
  ])
  const before = nights('Sleep start,Sleep end,Hours asleep', '8')
  const { data } = await collected(before, 'table.csv')
  t.equal(data[0]!.identity, '{"analysis":"inBed"}', 'the id is that of earlier versions')
})
