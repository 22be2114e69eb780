/** Tables with a row per value, with measure and unit in cells: each value is read correctly, or named. */
import t from 'tap'
import { total } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'
import { bookOf, rowsOf } from './workbooks.js'

const found = ({ data }: Collected): unknown[] =>
  data.map(({ content, stream, type }) => [stream, type, content])
const unknown = 'of a kind without a type here'

async function read(content: string | Buffer, options = {}): Promise<Collected> {
  const all = await collected(content, 'a.csv', options)
  t.equal(total(all.records), all.data.length + total(all.leftOut), 'all is counted once')
  return all
}

t.test('each row has the measure and unit that it names; others are named and counted', async t => {
  const all = await read(
    `timestamp,metric,value,unit,device
2024-01-01 08:00,heart_rate,60,bpm,Watch
2024-01-01 08:00,weight,70.5,kg,Scale
2024-01-01 08:01,StepCount,1200,count,Watch
2024-01-01 08:01,Zorp,5,zz,Watch
2024-01-01 08:02,weight,160,lb,Scale
2024-01-01 08:03,HKQuantityTypeIdentifierBodyTemperature,36.9,°C,Watch
2024-01-01 08:04,heart_rate,n/a,bpm,Watch
2024-01-01 08:05,Zorp,6,zz,Watch
soon,heart_rate,61,bpm,Watch
2024-01-01 08:06,,7,,Watch
2024-01-01 08:07,heart_rate,62,bpm,Watch,more
`
  )
  t.same(found(all), [
    ['Heart rate', 'frequency/bpm', 60],
    ['Weight', 'mass/kg', 70.5],
    ['Steps', 'count/steps', 1200],
    ['Weight', 'mass/lb', 160],
    ['Temperature', 'temperature/c', 36.9]
  ])
  t.same(
    all.data.map(({ source }) => source),
    ['Watch', 'Scale', 'Watch', 'Scale', 'Watch']
  )
  t.same(all.leftOutRows, {
    [unknown]: [5, 9, 11],
    'of a value that is no number': [8],
    'of a time that cannot be read': [10],
    'of more cells than the header has names': [12]
  })
  t.equal(all.records['row, Zorp (zz)'], 2)
  t.equal(all.tables.length, 1)
  t.same(all.tables[0]!.columns.slice(0, 4), ['timestamp', 'device', 'heart_rate (bpm)', 'weight (kg)'])
  t.same(all.tables[0]!.sample[0], ['2024-01-01 08:00', 'Watch', '60'])
})

t.test('adjacent halves of blood pressures are combined, and others skipped', async t => {
  const rows = [
    ['2024-01-01 08:00', 'Systolic', '120', 'mmHg'],
    ['2024-01-01 08:00', 'Diastolic', '80', 'mmHg'],
    ['2024-01-01 08:00', 'Weight', '70', 'kg'],
    ['2024-01-02 08:00', 'Diastolic', '81', 'mmHg'],
    ['2024-01-02 08:00', 'Systolic', '121', 'mmHg'],
    ['2024-01-03 08:00', 'Systolic', '122', 'mmHg'],
    ['2024-01-04 08:00', 'Diastolic', '82', 'mmHg']
  ]
  const text = [['Date', 'Type', 'Value', 'Unit'], ...rows].map(row => row.join(';')).join('\n')
  const all = await read(text)
  t.same(
    all.data.map(({ content }) => content),
    [{ systolic: 120, diastolic: 80 }, 70, { systolic: 121, diastolic: 81 }]
  )
  t.same(all.leftOutRows, { 'half of a measurement whose other half is missing': [7, 8] })
})

t.test('one value column for all measures, comments, and names in other languages', async t => {
  const all = await read(`Datum;Messgröße;Messwert;Einheit;Bemerkung
01.02.2024 08:00;Gewicht;70,5;kg;nüchtern
01.02.2024 08:00;Blutdruck;120/80;mmHg;
02.02.2024 08:00;Puls;60;1/min;
13.02.2024 08:00;Körperfett;21,5;%;
`)
  t.same(found(all), [
    ['Notes', 'note/txt', 'nüchtern'],
    ['Weight', 'mass/kg', 70.5],
    ['Blood pressure', 'blood-pressure/mmhg-bpm', { systolic: 120, diastolic: 80 }],
    ['Heart rate', 'frequency/bpm', 60],
    ['Body fat', 'ratio/percent', 21.5]
  ])
})

t.test('late measures, and more measures than are distinguished', async t => {
  const late = [
    ...Array.from({ length: 3000 }, () => '2024-01-01,Zorp,1,zz'),
    '2024-01-02,Weight,70,kg',
    '2024-01-03,Weight,71,kg'
  ]
  const all = await read(`date,name,value,unit\n${late.join('\n')}\n`)
  t.same(found(all), [
    ['Weight', 'mass/kg', 70],
    ['Weight', 'mass/kg', 71]
  ])
  t.equal(all.leftOut[unknown], 3000)
  const many = Array.from({ length: 5000 }, (_row, at) => `2024-01-01,m${at},1,x`)
  const bounded = await read(`date,name,value,unit\n2024-01-01,Weight,70,kg\n${many.join('\n')}\n`)
  t.equal(bounded.data.length, 1)
  t.equal(bounded.leftOut[unknown], 5000)
  t.ok(Object.keys(bounded.records).length <= 101)
})

t.test('tables without known metrics, or with columns for measures, are read as usual', async t => {
  const none = await read('date,type,value\n2024-01-01,Zorp,1\n2024-01-02,Zap,2\n')
  t.same(none.leftOut, { 'in a table whose columns have not been mapped yet': 2 })
  t.same(none.tables[0]!.columns, ['date', 'type', 'value'])
  const wide = await read('date,type,value,weight (kg)\n2024-01-01,Steps,1,70\n2024-01-02,Steps,2,71\n')
  t.same(found(wide), [
    ['Weight', 'mass/kg', 70],
    ['Weight', 'mass/kg', 71]
  ])
})

t.test("the user's mappings of columns, or of measures", async t => {
  const text = 'date,name,value\n2024-01-01,Steps,5\n2024-01-02,Zorp,6\n'
  const own = { column: 2, type: 'count/generic', stream: 'All' }
  t.same(found(await read(text, { mappings: { 'date|name|value': { time: 0, values: [own] } } })), [
    ['All', 'count/generic', 5],
    ['All', 'count/generic', 6]
  ])
  t.same(found(await read(text, { mappings: { 'date|steps|zorp': { time: 0, values: [own] } } })), [
    ['All', 'count/generic', 6]
  ])
})

t.test('workbook sheets with merged times and measures', async t => {
  const rows = rowsOf([
    ['Date', 'Measure', 'Value', 'Unit'],
    [[45_292, 1], 'Weight', 1.234, 'kg'],
    [undefined, 'Heart rate', 60, 'bpm'],
    [undefined, undefined, 61, 'bpm'],
    ['soon', 'Heart rate', 62, 'bpm']
  ])
  const book = await bookOf({
    sheets: [
      {
        name: 'Data',
        rows,
        after: '<mergeCells><mergeCell ref="A2:A4"/><mergeCell ref="B3:B4"/></mergeCells>'
      }
    ],
    formats: [14]
  })
  const all = await read(book)
  t.same(found(all), [
    ['Weight', 'mass/kg', 1.234],
    ['Heart rate', 'frequency/bpm', 60],
    ['Heart rate', 'frequency/bpm', 61]
  ])
  t.same(all.leftOutRows, { 'of a time that cannot be read': ['Data!5'] })
})
