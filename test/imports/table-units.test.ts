/** Units in headers and cells determine the type; columns without a unit are skipped by name. */
import t from 'tap'
import { collected, type Collected } from './collecting.js'

/** Returns the streams, types and contents that a column of this name yields. */
async function taken(name: string, cells: readonly string[] = ['60', '61']): Promise<unknown[]> {
  const rows = cells.map((cell, at) => `2024-05-0${at + 1} 08:00;${cell}`)
  const { data } = await collected(`time;${name}\n${rows.join('\n')}\n`)
  return data.map(({ content, stream, type }) => [stream, type, content])
}

const kinds = ({ data }: Collected): unknown[] => data.map(({ content, type }) => [type, content])

t.test('units in column names', async t => {
  const cases: readonly [name: string, stream: string, type: string][] = [
    ['Sleep Analysis [Asleep] (hr)', 'Sleep Analysis [Asleep]', 'time/h'],
    ['Walking Speed (km/hr)', 'Walking Speed', 'speed/km-h'],
    ['Heart Rate Variability (ms)', 'Heart rate variability', 'time/ms'],
    ['heart rate variability milliseconds', 'Heart rate variability', 'time/ms'],
    ['Herzfrequenzvariabilität (ms)', 'Heart rate variability', 'time/ms'],
    ['Heart Rate (count/min)', 'Heart rate', 'frequency/bpm'],
    ['Heart Rate [Min] (count/min)', 'Heart rate, minimum', 'frequency/bpm'],
    ['Max HR (bpm)', 'Heart rate, maximum', 'frequency/bpm'],
    ['Heart rate (min)', 'Heart rate, minimum', 'frequency/bpm'],
    ['Pulse (beats per minute)', 'Heart rate', 'frequency/bpm'],
    ['Pulse beats per minute', 'Heart rate', 'frequency/bpm'],
    ['Respiratory rate (rpm)', 'Respiratory rate', 'frequency/brpm'],
    ['Gewicht in Kilogramm', 'Weight', 'mass/kg'],
    ['Poids (kilogrammes)', 'Weight', 'mass/kg'],
    ['Gewicht [kg]', 'Weight', 'mass/kg'],
    ['weight_lbs', 'Weight', 'mass/lb'],
    ['Historic Glucose mg/dL', 'Blood glucose', 'density/mg-dl'],
    ['Glukosewert-Verlauf mmol/L', 'Blood glucose', 'density/mmol-l'],
    ['Historique de la glycémie mg/dL', 'Blood glucose', 'density/mg-dl'],
    ['Glukosewert (mmol/L)', 'Blood glucose', 'density/mmol-l'],
    ['Keton mmol/L', 'Keton', 'density/mmol-l'],
    ['Kohlenhydrate (Gramm)', 'Kohlenhydrate', 'mass/g'],
    ['Depotinsulin (Einheiten)', 'Depotinsulin (Einheiten)', 'volume/iu'],
    ['Körpertemperatur (Grad Celsius)', 'Temperature', 'temperature/c'],
    ['Energie (kJ)', 'Energy', 'energy/j'],
    ['Energy (Cal)', 'Energy', 'energy/kcal'],
    ['Weight change (kg)', 'Weight change', 'mass/kg'],
    ['Schritte', 'Steps', 'count/steps']
  ]
  for (const [name, stream, type] of cases) {
    const factor = type === 'energy/j' ? 1000 : 1
    t.same(
      await taken(name),
      [60, 61].map(value => [stream, type, value * factor]),
      name
    )
  }
  t.same(await taken('weight grams', ['71400']), [['Weight', 'mass/g', 71_400]])
})

t.test('columns without a unit, or with one that has no type, are named and counted', async t => {
  for (const name of [
    'Weight',
    'Glucose',
    'Glucose Rate of Change (mg/dL/min)',
    'Insulin',
    'Non-numeric Rapid-Acting Insulin',
    'Heart rate (beats/h)',
    'Recovery score',
    'Hour'
  ]) {
    const found = await collected(`time,steps,${name}\n2024-05-01 08:00,5,60\n2024-05-02 08:00,6,\n`)
    t.same(kinds(found), [
      ['count/steps', 5],
      ['count/steps', 6]
    ])
    t.same(found.leftOut, { 'in a column that is not mapped': 1 }, name)
    t.equal(found.records[`column ${name}`], 1)
  }
})

t.test('units in cells', async t => {
  t.same(await taken('Weight', ['71.4 kg', '71,5 kg']), [
    ['Weight', 'mass/kg', 71.4],
    ['Weight', 'mass/kg', 71.5]
  ])
  t.same(await taken('Gewicht (kg)', ['71,4 kg', '157 lb', '71,5']), [
    ['Weight', 'mass/kg', 71.4],
    ['Weight', 'mass/lb', 157],
    ['Weight', 'mass/kg', 71.5]
  ])
  t.same(await taken('Puls', ['60 Schläge/min', '61 bpm']), [
    ['Heart rate', 'frequency/bpm', 60],
    ['Heart rate', 'frequency/bpm', 61]
  ])
  t.same(await taken('Temperatur', ['36,6 °C', '98,1 °F', '36,7 Grad Celsius']), [
    ['Temperature', 'temperature/c', 36.6],
    ['Temperature', 'temperature/f', 98.1],
    ['Temperature', 'temperature/c', 36.7]
  ])
  const found = await collected(
    'time,glucose (mg/dL),weight (kg)\n2024-05-01 08:00,Low,11 st 4 lb\n2024-05-01 08:05,105 mg/dL,71 cm\n2024-05-01 08:10,High,\n2024-05-01 08:15,5.5 mmol/L,70 parsec\n'
  )
  t.same(kinds(found), [
    ['density/mg-dl', 105],
    ['density/mmol-l', 5.5]
  ])
  t.same(found.leftOutRows, {
    'of a value that is no number': [2, 2, 4, 5],
    'in a unit without a type here': [3]
  })
})

t.test('columns for the same stream are kept separate', async t => {
  const found = await collected(
    'time;Historic Glucose mg/dL;Scan Glucose mg/dL;Min HR (bpm);Max HR (bpm);Average HR (bpm);HR (bpm)\n2024-05-01 08:00;100;101;50;90;70;71\n'
  )
  t.same(
    found.data.map(({ content, stream }) => [stream, content]),
    [
      ['Historic Glucose', 100],
      ['Scan Glucose', 101],
      ['Heart rate, minimum', 50],
      ['Heart rate, maximum', 90],
      ['Heart rate, average', 70],
      ['Heart rate', 71]
    ]
  )
})

t.test('durations with a known unit are imported', async t => {
  const cases: readonly [name: string, cell: string, seconds: number | undefined][] = [
    ['Duration (min)', '30', 1800],
    ['Dauer (Stunden)', '0.5', 1800],
    ['Duration (ms)', '1800000', 1800],
    ['duration_seconds', '1800', 1800],
    ['Duration', '0:30:00', 1800],
    ['Duration', '30', undefined],
    ['Duration', '30:00', undefined]
  ]
  for (const [name, cell, seconds] of cases) {
    const { data } = await collected(`time,${name},Steps\n2024-05-01 08:00,${cell},5\n2024-05-02 08:00,,5\n`)
    t.equal(data[0]!.duration, seconds, `${name} ${cell}`)
  }
})

t.test('equal records of one day are distinct, and the same when imported again', async t => {
  const meals = 'Date,Meal,Energy (kcal)\n2024-05-01,Snack,200\n2024-05-01,Lunch,200\n2024-05-02,Lunch,200\n'
  const found = await collected(meals)
  t.equal(
    new Set(found.data.map(({ content, identity, time }) => `${time} ${identity} ${String(content)}`)).size,
    3
  )
  t.same((await collected(meals)).data, found.data)
})
