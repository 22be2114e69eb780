/** A measurement has the LOINC code of what it is, or none: names are similar, and marks of streams say what they hold. */
import t from 'tap'
import { listCodedTypes } from '../../../core/exports/fhir-codes.js'
import { measures } from '../../../schemas/measures/catalogue.js'
import type { Measure } from '../../../schemas/measures/measure.js'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { rotate } from '../../support/rotation.js'

const types = new Set(listCodedTypes().flatMap(coded => coded.types))
const codes = new Set(listCodedTypes().flatMap(({ loinc }) => loinc.map(([code]) => code)))
types.delete('sleep/analysis')

/** Measures that have the code of a wider one. */
const wider: Readonly<Record<string, readonly string[]>> = {
  'resting-heart-rate': ['8867-4'],
  'walking-heart-rate': ['8867-4'],
  'sleeping-heart-rate': ['8867-4'],
  'workout-heart-rate': ['8867-4'],
  'basal-body-temperature': ['8310-5'],
  'fasting-glucose': ['2339-0', '15074-8']
}
/** Names that do not say what they are of. */
const uncertain = ['Basaltemperatur', 'Température basale', 'Taille', 'Walking Heart Rate Average']

/** The codes of observations, by the description of their events. */
async function readCodes(client: Client): Promise<Map<string, readonly string[]>> {
  const { body } = await client.http('GET', '/events/export?format=fhir-ndjson')
  const lines = (body as string).trim().split('\n')
  return new Map(
    lines.map(line => {
      const { code, note }: Answer = JSON.parse(line)
      return [note[0].text, (code.coding ?? []).map((each: Answer) => each.code)]
    })
  )
}

/** Searches for observations. */
async function readFhir(client: Client): Promise<readonly Answer[]> {
  const { body } = await client.http('GET', '/fhir/Observation?_count=100')
  return body.entry.map(({ resource }: Answer) => resource)
}

/** Adds a stream with an event of a type in a stream below it, which names a device. */
async function add(
  alice: Client,
  id: string,
  stream: object,
  type: string,
  description: string
): Promise<void> {
  await alice.do('streams.create', { id, ...stream })
  await alice.do('streams.create', { id: `${id}-device`, name: 'Withings', parentId: id })
  const content = type.startsWith('blood-pressure/') ? { systolic: 120, diastolic: 80 } : 60
  await alice.event({ streamIds: [`${id}-device`], type, content, description })
}

function listNames({ codes: known, names }: Measure): string[] {
  const kinds = (known?.healthKit ?? []).map(kind =>
    kind.replace(/^HK[A-Z][a-z]+Type(?:Identifier)?/, '').replaceAll(/([a-z])([A-Z])/g, '$1 $2')
  )
  return [...new Set([...Object.values(names), ...kinds])]
}

t.test('streams with the names of measures have their codes, and no others', async t => {
  const { alice } = await coffer(t)
  const expected = new Map<string, Measure>()
  for (const measure of rotate(t, measures, 2))
    for (const name of listNames(measure))
      for (const type of measure.types.filter(each => types.has(each))) {
        const description = `${name} ${type} ${measure.id}`
        expected.set(description, measure)
        const id = `stream-${expected.size}`
        await alice.do('streams.create', { id: `above-${id}`, name: String(expected.size) })
        await add(alice, id, { name, parentId: `above-${id}` }, type, description)
      }
  const found = await readCodes(alice)
  t.equal(found.size, expected.size)
  for (const [description, measure] of expected) {
    const all = [...(measure.codes?.loinc ?? []), ...(wider[measure.id] ?? [])].filter(code =>
      codes.has(code)
    )
    const own = found.get(description)!
    t.ok(
      own.every(code => all.includes(code)),
      `${description}: ${own.join()}`
    )
    if (all.length > 0 && !uncertain.some(name => description.startsWith(name)))
      t.not(own.length, 0, description)
  }
})

t.test('names of goals, exercises and other bodies are no measurements', async t => {
  const { alice } = await coffer(t)
  const others: readonly (readonly [name: string, type: string])[] = [
    ['Goal weight', 'mass/kg'],
    ['Zielgewicht', 'mass/kg'],
    ['Weight training', 'mass/kg'],
    ['Weight loss', 'mass/kg'],
    ['Jump height', 'length/cm'],
    ['Blood glucose, standard deviation', 'density/mg-dl'],
    ['Glycated haemoglobin', 'density/mg-dl'],
    ['Muscle oxygen', 'ratio/percent'],
    ['Respiration', 'frequency/bpm'],
    ['Body / skin', 'temperature/c'],
    ['Target heart rate', 'frequency/bpm'],
    ['Step goal', 'count/steps'],
    ['Schrittziel', 'count/steps'],
    ['Gewichtsziel', 'mass/kg'],
    ['Ideal weight', 'mass/lb'],
    ['Weight change', 'mass/kg'],
    ['Gewichtstrend', 'mass/kg'],
    ['Birth weight', 'mass/g'],
    ["The dog's weight", 'mass/kg'],
    ['Portion weight', 'mass/g'],
    ['Tumorgröße', 'length/cm'],
    ['Saddle height', 'length/cm'],
    ['Blood pressure limit', 'blood-pressure/mmhg-bpm'],
    ['Schrittfrequenz', 'frequency/bpm'],
    ['Stroke rate', 'frequency/bpm'],
    ['Fetal heart rate', 'frequency/bpm'],
    ['Body temperature variation', 'temperature/c'],
    ['Time below 90 % oxygen', 'ratio/percent'],
    ['Body fat, left arm', 'ratio/percent'],
    ['Glycosylated hemoglobin', 'density/g-dl'],
    ['Glucose, CSF', 'density/mg-dl'],
    ['Glucose variability', 'density/mg-dl'],
    ['Glucose, plasma', 'density/mmol-l'],
    ['Max heart rate', 'frequency/bpm'],
    ['Heart rate (max)', 'frequency/bpm'],
    ['Heart rate, min', 'frequency/bpm'],
    ['HR avg', 'frequency/bpm'],
    ['Höchstpuls', 'frequency/bpm'],
    ['Durchschnittspuls', 'frequency/bpm'],
    ['FC max', 'frequency/bpm'],
    ['Fréquence respiratoire moyenne', 'frequency/brpm'],
    ['Lowest oxygen saturation', 'ratio/percent'],
    ['Average glucose', 'density/mg-dl'],
    ['Mean blood pressure', 'blood-pressure/mmhg-bpm'],
    ['Average weight', 'mass/kg'],
    ['Baby weight', 'mass/kg'],
    ["Son's height", 'length/cm'],
    ['Family / Anna weight', 'mass/kg'],
    ['Grandmother, blood pressure', 'blood-pressure/mmhg-bpm'],
    ['Puls von Mama', 'frequency/bpm'],
    ['Gewicht Kind', 'mass/kg'],
    ['Poids de bébé', 'mass/kg'],
    ['Taille debout de ma fille', 'length/cm'],
    ['Glucose, wife', 'density/mmol-l'],
    ['Plant height', 'length/cm'],
    ['Chair height', 'length/cm'],
    ['Fish weight', 'mass/kg'],
    ['Hive weight', 'mass/kg'],
    ['Dissolved oxygen', 'ratio/percent'],
    ['Metronome', 'frequency/bpm'],
    ['Heizkörper', 'temperature/c'],
    ['Camera body temperature', 'temperature/c'],
    ['Koffergewicht', 'mass/kg'],
    ['Poids de la valise', 'mass/kg'],
    ['Weights', 'mass/kg'],
    ['Weight of the bike', 'mass/kg'],
    ['Dinner weight', 'mass/g'],
    ['Fence height', 'length/m'],
    ['Grösse Wohnung', 'length/m'],
    ['Oxygen tank', 'ratio/percent'],
    ['Sauerstoffflasche', 'ratio/percent'],
    ['Traubenzucker', 'density/g-dl'],
    ['Sucre du vin', 'density/g-dl'],
    ['Body fat of cheese', 'ratio/percent'],
    ['Poids du petit', 'mass/kg'],
    ['Poids par part', 'mass/g'],
    ['Weight and balance', 'mass/kg'],
    ['🚲 Weight', 'mass/kg'],
    ['Blutdruck 🐕', 'blood-pressure/mmhg-bpm'],
    ['👶 Puls', 'frequency/bpm'],
    ['⌀ Gewicht', 'mass/kg'],
    ['Ø Blutdruck', 'blood-pressure/mmhg-bpm'],
    ['SpO2 min', 'ratio/percent'],
    ['Glucose min', 'density/mg-dl'],
    ['HRmax', 'frequency/bpm'],
    ['HFmax', 'frequency/bpm'],
    ['Herzfrequenz max.', 'frequency/bpm'],
    ['Puls min', 'frequency/bpm'],
    ['Blutdruck max', 'blood-pressure/mmhg-bpm'],
    ['maxHeartRate', 'frequency/bpm'],
    ['heart_rate_max', 'frequency/bpm'],
    ['avgHR', 'frequency/bpm'],
    ['HRV', 'frequency/bpm'],
    ['Heart rate zone 2', 'frequency/bpm'],
    ['step_goal', 'count/steps'],
    ['stepGoal', 'count/steps'],
    ['bp_target', 'blood-pressure/mmhg-bpm'],
    ['Steps remaining', 'count/steps'],
    ['Écart de tension', 'blood-pressure/mmhg-bpm'],
    ['Blutdruck meiner Frau', 'blood-pressure/mmhg-bpm'],
    ['Blutdruck meines Mannes', 'blood-pressure/mmhg-bpm'],
    ['Puls Enkelkind', 'frequency/bpm'],
    ["Grandson's pulse", 'frequency/bpm'],
    ['Tension de mon épouse', 'blood-pressure/mmhg-bpm'],
    ['Tension de ma mère'.normalize('NFD'), 'blood-pressure/mmhg-bpm']
  ]
  for (const [at, [name, type]] of others.entries()) await add(alice, `stream-${at}`, { name }, type, name)
  const found = await readCodes(alice)
  t.same([...found.keys()].toSorted(), others.map(([name]) => name).toSorted())
  for (const [name, own] of found) t.same(own, [], name)
})

t.test('names that contain short words for averages and extremes are measurements', async t => {
  const { alice } = await coffer(t)
  const names = [
    'Heart rate (1/min)',
    'Puls (min⁻¹)',
    'Puls pro min',
    'Pulse of iPhone 15 Pro Max',
    'Max / Puls'
  ]
  for (const [at, name] of names.entries()) await add(alice, `stream-${at}`, { name }, 'frequency/bpm', name)
  t.same(await readCodes(alice), new Map(names.map(name => [name, ['8867-4']])))
})

t.test('names may say when, how and in which unit something is measured', async t => {
  const { alice } = await coffer(t)
  const names: readonly (readonly [name: string, type: string, code: string])[] = [
    ['My weight (kg)', 'mass/kg', '29463-7'],
    ['Gewicht am Morgen, nüchtern', 'mass/kg', '29463-7'],
    ['Poids du matin', 'mass/kg', '29463-7'],
    ['WEIGHT_LB', 'mass/lb', '29463-7'],
    ['Withings weight 2', 'mass/kg', '29463-7'],
    ['Körpergröße [cm]', 'length/cm', '8302-2'],
    ['Body mass index (BMI)', 'pressure/kg-m2', '39156-5'],
    ['Körpertemperatur (Ohr)', 'temperature/c', '8310-5'],
    ['Température corporelle, soir', 'temperature/c', '8310-5'],
    ['Sauerstoffsättigung (SpO2)', 'ratio/percent', '59408-5'],
    ['Saturation en oxygène (SpO2)', 'ratio/percent', '59408-5'],
    ['Körperfett in %', 'ratio/percent', '41982-0'],
    ['Taux de masse grasse', 'ratio/percent', '41982-0'],
    ['Blutzucker vor dem Frühstück', 'density/mg-dl', '2339-0'],
    ['Glycémie à jeun', 'density/mmol-l', '15074-8'],
    ['Glukose', 'density/mmol-l', '15074-8'],
    ['Glucose level after lunch', 'density/mg-dl', '2339-0'],
    ['Ruhepuls morgens', 'frequency/bpm', '40443-4'],
    ['Resting HR', 'frequency/bpm', '40443-4'],
    ['Fréquence cardiaque au repos', 'frequency/bpm', '40443-4'],
    ['restingHeartRate', 'frequency/bpm', '40443-4'],
    ['RHR', 'frequency/bpm', '40443-4'],
    ['Ruhepuls (1/min)', 'frequency/bpm', '40443-4'],
    ['Ruhepuls min⁻¹', 'frequency/bpm', '40443-4'],
    ['⚖️ Weight', 'mass/kg', '29463-7'],
    ['body_weight', 'mass/kg', '29463-7'],
    ['Gewichtsverlauf', 'mass/kg', '29463-7'],
    ['Größe'.normalize('NFD'), 'length/cm', '8302-2'],
    ['SpO₂', 'ratio/percent', '59408-5'],
    ['O₂-Sättigung', 'ratio/percent', '59408-5'],
    ['Blutzuckerwerte', 'density/mg-dl', '2339-0'],
    ['Glycémies', 'density/mg-dl', '2339-0'],
    ['Températures corporelles', 'temperature/c', '8310-5']
  ]
  for (const [at, [name, type]] of names.entries()) await add(alice, `stream-${at}`, { name }, type, name)
  const found = await readCodes(alice)
  t.same(
    new Map([...found].map(([name, own]) => [name, own[0]])),
    new Map(names.map(([name, , code]) => [name, code]))
  )
})

t.test('streams above a measurement say whose it is, and those below are devices', async t => {
  const { alice } = await coffer(t)
  const weight = ['29463-7']
  const paths: readonly (readonly [path: string, codes: readonly string[]])[] = [
    ['Bike/Weight', []],
    ['Anna/Körper/Gewicht', []],
    ['Suivi/Valise/Poids', []],
    ['Weight/Bike', []],
    ['Weight/Anna', []],
    ['Health/Body/Weight', weight],
    ['Gesundheit/Vitalwerte/Gewicht', weight],
    ['Santé/Poids/Withings Body+', weight],
    ['Apple Health/Weight/Mi Body Composition Scale', weight],
    ["Meine Messwerte 2026/Gewicht/Ana's Watch", weight]
  ]
  for (const [at, [path]] of paths.entries()) {
    let parentId: string | null = (await alice.stream(`top-${at}`)).id
    await alice.do('streams.update', { id: parentId, update: { name: `${at}` } })
    for (const [depth, name] of path.split('/').entries()) {
      const id = `stream-${at}-${depth}`
      await alice.do('streams.create', { id, name, parentId })
      parentId = id
    }
    await alice.event({ streamIds: [parentId], type: 'mass/kg', content: 60, description: path })
  }
  t.same(await readCodes(alice), new Map(paths))
  t.equal((await readFhir(alice)).length, 5)
})

t.test('a stream that is marked with a measure holds that, whatever its name is', async t => {
  const { alice } = await coffer(t)
  const marked: readonly (readonly [name: string, mark: string, type: string, codes: readonly string[]])[] = [
    ['Taille', 'waist', 'length/cm', []],
    ['Taille', 'height', 'length/cm', ['8302-2']],
    ['Balance', 'weight', 'mass/kg', ['29463-7']],
    ['Weight', 'weight-lifted', 'mass/kg', []],
    ['Pulse', 'heart-rate-recovery', 'frequency/bpm', []],
    ['Heart rate', 'highest-heart-rate', 'frequency/bpm', []],
    ['Heart rate', 'lowest-heart-rate', 'frequency/bpm', []],
    ['Heart rate', 'average-heart-rate', 'frequency/bpm', []],
    ['Heart rate', 'walking-heart-rate', 'frequency/bpm', []],
    ['Heart rate of Max', 'heart-rate', 'frequency/bpm', ['8867-4']],
    ['Music', 'heart-rate', 'frequency/bpm', ['8867-4']],
    ['Pulse', 'resting-heart-rate', 'frequency/bpm', ['40443-4', '8867-4']],
    ['Pulse', ':none', 'frequency/bpm', []],
    ['Pulse', 'pulse-of-the-dog', 'frequency/bpm', []],
    ['Pulse', 'steps', 'frequency/bpm', ['8867-4']],
    ['Sugar', 'glucose', 'density/mmol-l', ['15074-8']]
  ]
  for (const [at, [name, mark, type]] of marked.entries()) {
    const stream = { name: `${name} ${at}`, clientData: { 'coffer:measure': mark } }
    await add(alice, `stream-${at}`, stream, type, `${name} as ${mark}`)
  }
  const found = await readCodes(alice)
  const expected = new Map(marked.map(([name, mark, , own]) => [`${name} as ${mark}`, own]))
  for (const [description, own] of found) t.same(own, expected.get(description), description)
  t.equal(found.size, expected.size)
  // The same by the API of FHIR, also for an access that sees the streams.
  const app = await alice.grant('read', '*')
  for (const client of [alice, app]) {
    const { body } = await client.http('GET', '/fhir/Observation')
    t.same(
      new Map(
        body.entry.map(({ resource: { code, note } }: Answer) => [
          note[0].text,
          code.coding.map((each: Answer) => each.code)
        ])
      ),
      new Map([...expected].filter(([, own]) => own.length > 0))
    )
    const devices = body.entry.map(({ resource }: Answer) => resource.device?.display)
    t.same(new Set(devices), new Set(['Withings']))
  }
})

t.test('other units of a measure are of the measure that the stream is marked with', async t => {
  const { alice } = await coffer(t)
  const marked: readonly (readonly [name: string, mark: string, type: string, codes: readonly string[]])[] = [
    ['Weight', 'weight-lifted', 'mass/oz', []],
    ['Scale', 'weight', 'mass/oz', ['29463-7']],
    ['Height', 'distance', 'length/in', []],
    ['Glucose', 'total-cholesterol', 'density/g-dl', []],
    // Breaths and turns per minute are no heart rate.
    ['Garmin', 'respiratory-rate', 'frequency/bpm', []],
    ['Polar', 'cadence', 'frequency/bpm', []],
    ['Breathing', 'heart-rate', 'frequency/brpm', []],
    // What is no measurement of that kind is identified by the name.
    ['Weight', 'waist', 'mass/oz', ['29463-7']]
  ]
  for (const [at, [name, mark, type]] of marked.entries()) {
    const stream = { name: `${name} ${at}`, clientData: { 'coffer:measure': mark } }
    await add(alice, `stream-${at}`, stream, type, `${name} as ${mark}`)
  }
  t.same(await readCodes(alice), new Map(marked.map(([name, mark, , own]) => [`${name} as ${mark}`, own])))
})

/** Client data that marks a stream with a measure. */
const mark = (measure: string): object => ({ clientData: { 'coffer:measure': measure } })

t.test('an access to a part of the streams gets the same codes, without the names of others', async t => {
  const { alice } = await coffer(t)
  const above: readonly (readonly [stream: object, name: string, type: string, codes: readonly string[]])[] =
    [
      [{ name: 'Hidden 1', ...mark('heart-rate-recovery') }, 'Polar', 'frequency/bpm', []],
      [{ name: 'Hidden 2', ...mark('weight-lifted') }, 'Weight', 'mass/kg', []],
      [{ name: 'Hidden 3', ...mark(':none') }, 'Pulse', 'frequency/bpm', []],
      [{ name: 'Hidden 4', ...mark(':none') }, 'Nights', 'sleep/analysis', []],
      [{ name: 'Hidden 5', ...mark('resting-heart-rate') }, 'Watch', 'frequency/bpm', ['40443-4', '8867-4']],
      [{ name: 'Hidden goals' }, 'Weight', 'mass/kg', []],
      [{ name: 'Hidden target' }, 'Nights', 'sleep/analysis', []],
      [{ name: 'Hidden bike' }, 'Weight', 'mass/kg', []],
      [{ name: 'Health 6' }, 'Weight', 'mass/kg', ['29463-7']]
    ]
  const permissions = []
  for (const [at, [stream, name, type]] of above.entries()) {
    await alice.do('streams.create', { id: `above-${at}`, ...stream })
    await alice.do('streams.create', { id: `seen-${at}`, name, parentId: `above-${at}` })
    const content = type === 'sleep/analysis' ? { analysis: 'asleep' } : 60
    await alice.event({ streamIds: [`seen-${at}`], type, content, description: String(at) })
    permissions.push({ streamId: `seen-${at}`, level: 'read' as const })
  }
  const expected = new Map(above.map(([, , , own], at) => [String(at), own]))
  const app = await alice.grantAll(permissions)
  for (const client of [alice, app]) {
    t.same(await readCodes(client), expected)
    const { body } = await client.http('GET', '/fhir/Observation')
    const found = body.entry.map(({ resource }: Answer) => [
      resource.note[0].text,
      resource.code.coding.map(({ code }: Answer) => code)
    ])
    t.same(new Map(found), new Map([...expected].filter(([, own]) => own.length > 0)))
  }
  const exported = (await app.http('GET', '/events/export?format=fhir-ndjson')).body
  t.notMatch(exported + JSON.stringify((await app.http('GET', '/fhir/Observation')).body), /hidden/i)
  t.match(
    exported,
    '"code":{"coding":[{"system":"http://loinc.org","code":"40443-4","display":"Heart rate --resting"},{"system":"http://loinc.org","code":"8867-4","display":"Heart rate"}],"text":"Heart rate --resting"}'
  )
  t.match(exported, '"device":{"display":"Watch"}')
  // The names are for the service itself.
  const { results } = await app.do('callBatch', [{ method: 'streams.findAbove', params: {} }])
  t.equal(results[0].error?.id, 'invalid-method')
})

t.test('hidden streams above many others are read once', async t => {
  const { alice } = await coffer(t)
  let parentId: string | null = null
  for (let level = 0; level < 60; level++) {
    const id = `above-${level}`
    const name = `${level} ${'long '.repeat(200)}`
    await alice.do('streams.create', { id, name, parentId, ...(level === 0 && mark('weight')) })
    parentId = id
  }
  const below = Array.from({ length: 200 }, (_, at) => `below-${at}`)
  for (const id of below) await alice.stream(id, parentId)
  await alice.stream('other', 'above-30')
  const streamIds = [...below, 'other']
  for (const streamId of [below[0]!, below.at(-1)!, 'other'])
    await alice.event({ streamIds: [streamId], type: 'mass/kg', content: 70 })
  const app = await alice.grantAll(streamIds.map(streamId => ({ streamId, level: 'read' })))
  const credentials = { isEndpoint: true } as unknown as Record<string, string>
  const { above } = await alice.service.call('alice', 'streams.findAbove', {}, app.token, credentials)
  t.equal(above.length, 60 + streamIds.length)
  t.ok(JSON.stringify(above).length < 100_000)
  const { entry } = (await app.http('GET', '/fhir/Observation')).body
  t.same(
    entry.map(({ resource }: Answer) => resource.code.coding[0].code),
    ['29463-7', '29463-7', '29463-7']
  )
})

t.test('an event in several streams has the code of the one that identifies it', async t => {
  const { alice } = await coffer(t)
  const streams: Readonly<Record<string, object>> = {
    diary: { name: 'Diary' },
    weight: { name: 'Weight' },
    scale: { name: 'Scale', ...mark('weight') },
    lifted: { name: 'Bar', ...mark('weight-lifted') },
    pulse: { name: 'Pulse at rest' },
    goals: { name: 'Goals' },
    unknown: { name: 'Other', ...mark(':none') },
    waist: { name: 'Belt', ...mark('waist') }
  }
  for (const [id, stream] of Object.entries(streams)) await alice.do('streams.create', { id, ...stream })
  await alice.do('streams.create', { id: 'withings', name: 'Withings', parentId: 'weight' })
  const weight = ['29463-7']
  const placed: readonly (readonly [ids: string, type: string, codes: readonly string[]])[] = [
    ['diary,weight', 'mass/kg', weight],
    ['diary,withings', 'mass/kg', weight],
    ['diary,scale', 'mass/kg', weight],
    ['diary,pulse', 'frequency/bpm', ['40443-4', '8867-4']],
    // The first mark counts.
    ['scale,lifted', 'mass/kg', weight],
    ['lifted,scale', 'mass/kg', []],
    ['weight,lifted', 'mass/kg', []],
    // The mark of a measure that has no such events says nothing about these.
    ['waist,scale', 'mass/kg', weight],
    ['waist,weight', 'mass/kg', weight],
    // A mark that has them counts more than one that is unknown, and that more than names.
    ['unknown,scale', 'mass/kg', weight],
    ['unknown,weight', 'mass/kg', []],
    ['weight,unknown', 'mass/kg', []],
    // A goal remains one wherever else it is; a mark counts more than names.
    ['weight,goals', 'mass/kg', []],
    ['goals,scale', 'mass/kg', weight]
  ]
  for (const [ids, type] of placed)
    await alice.event({ streamIds: ids.split(','), type, content: 60, description: ids })
  const expected = new Map(placed.map(([ids, , own]) => [ids, own]))
  const readAll = async (client: Client): Promise<void> => {
    t.same(await readCodes(client), expected)
    const found = (await readFhir(client)).map(({ code, note }): [string, unknown] => [
      note[0].text,
      code.coding.map((each: Answer) => each.code)
    ])
    t.same(new Map(found), new Map([...expected].filter(([, own]) => own.length > 0)))
  }
  await readAll(alice)
  await readAll(await alice.grant('read', '*'))
  const device = (await readFhir(alice)).find(({ note }) => note[0].text === 'diary,withings')!
  t.match(device, { code: { text: 'Weight' }, device: { display: 'Withings' } })
  // Streams that the access does not see neither give a code nor take one.
  const app = await alice.grantAll([
    { streamId: 'diary', level: 'read' },
    { streamId: 'weight', level: 'read' }
  ])
  const seen = [...expected.keys()].filter(ids => /diary|weight/.test(ids))
  // Beats per minute are a heart rate in any stream.
  const ofSeen = new Map(seen.map(ids => [ids, /weight|withings/.test(ids) ? weight : []]))
  ofSeen.set('diary,pulse', ['8867-4'])
  t.same(await readCodes(app), ofSeen)
  const found = await readFhir(app)
  t.same(
    found.map(({ note }) => note[0].text).toSorted(),
    seen.filter(ids => ofSeen.get(ids)!.length > 0).toSorted()
  )
  t.notMatch(JSON.stringify(found.map(({ code, device: of }) => [code, of])), /goals|lifted|other|belt/i)
})

t.test('the first streams of an event that are seen tell what it is', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'weight', name: 'Weight' })
  const ids: string[] = []
  for (let at = 0; at < 200; at++) {
    await alice.do('streams.create', { id: `tag-${at}`, name: `Tag ${at}` })
    ids.push(`tag-${at}`)
  }
  const add = async (streamIds: string[], description: string): Promise<unknown> =>
    await alice.event({ streamIds, type: 'mass/kg', content: 60, description })
  await add([...ids.slice(0, 19), 'weight', ...ids.slice(19)], 'among the first 20')
  await add([...ids.slice(0, 20), 'weight'], 'later')
  const app = await alice.grant('read', 'weight')
  t.same(
    await readCodes(alice),
    new Map([
      ['among the first 20', ['29463-7']],
      ['later', []]
    ])
  )
  // Of those that the access sees.
  t.same([...(await readCodes(app)).values()], [['29463-7'], ['29463-7']])
})

t.test('the name of a device is not the name of what it measures', async t => {
  const { alice } = await coffer(t)
  const contents: Record<string, unknown> = {
    'blood-pressure/mmhg-bpm': { systolic: 120, diastolic: 80 },
    'sleep/analysis': { analysis: 'asleep' }
  }
  const expected = new Map<string, object>()
  await alice.do('streams.create', { id: 'file', name: 'Apple Health' })
  for (const [at, [name, type]] of (
    [
      ['Heart rate', 'frequency/bpm'],
      ['Resting heart rate', 'frequency/bpm'],
      ['Puls', 'frequency/bpm'],
      ['Blutdruck', 'blood-pressure/mmhg-bpm'],
      ['Respiratory rate', 'frequency/brpm'],
      ['Pas', 'count/steps'],
      ['Schlaf', 'sleep/analysis'],
      ['Weight', 'mass/kg']
    ] as const
  ).entries()) {
    // As imports arrange them.
    const [stream, device] = [`measured-${at}`, `device-${at}`]
    await alice.do('streams.create', { id: stream, name, parentId: 'file' })
    await alice.do('streams.create', { id: device, name: "Ana's Watch", parentId: stream })
    const content = contents[type] ?? 60
    const { id } = await alice.event({ streamIds: [device], type, content, duration: 60 })
    expected.set(id, { text: name, device: { display: "Ana's Watch" } })
  }
  // What no name tells is named by the last stream.
  await alice.do('streams.create', { id: 'polar', name: 'Polar' })
  const { id } = await alice.event({ streamIds: ['polar'], type: 'frequency/bpm', content: 60 })
  expected.set(id, { text: 'Polar', device: undefined })
  const both = await alice.event({ streamIds: ['polar', 'measured-0'], type: 'frequency/bpm', content: 60 })
  expected.set(both.id, { text: 'Heart rate', device: undefined })
  const { body } = await alice.http('GET', '/events/export?format=fhir-ndjson')
  const lines: string[] = body.trim().split('\n')
  const found = lines.map((line): [string, object] => {
    const { code, device, id: own }: Answer = JSON.parse(line)
    t.ok(code.coding, code.text)
    return [own, { text: code.text, device }]
  })
  t.same(new Map(found), expected)
})

t.test('heights and weights are in the units that FHIR allows for them', async t => {
  const { alice } = await coffer(t)
  await alice.do('streams.create', { id: 'height', name: 'Körpergröße' })
  await alice.do('streams.create', { id: 'weight', name: 'Weight' })
  await alice.do('streams.create', { id: 'hill', name: 'Hill' })
  const values: readonly (readonly [
    stream: string,
    type: string,
    content: number,
    value: number,
    unit: string
  ])[] = [
    ['height', 'length/m', 1.78, 178, 'cm'],
    ['height', 'length/cm', 178.5, 178.5, 'cm'],
    ['height', 'length/ft', 5.5, 66, '[in_i]'],
    ['height', 'length/in', 70, 70, '[in_i]'],
    ['height', 'length/m', 1e308, 1e308, 'm'],
    ['weight', 'mass/kg', 70.1, 70.1, 'kg'],
    ['weight', 'mass/g', 3500, 3500, 'g'],
    ['weight', 'mass/lb', 150, 150, '[lb_av]'],
    ['weight', 'mass/st', 11.5, 161, '[lb_av]'],
    ['weight', 'mass/oz', 120, 7.5, '[lb_av]'],
    ['hill', 'length/m', 300, 300, 'm']
  ]
  for (const [stream, type, content] of values)
    await alice.event({ streamIds: [stream], type, content, description: `${type} ${content}` })
  const lines: string[] = (await alice.http('GET', '/events/export?format=fhir-ndjson')).body
    .trim()
    .split('\n')
  const exported: readonly Answer[] = lines.map(line => JSON.parse(line))
  for (const [all, found] of [
    [values, exported],
    [values.filter(([stream]) => stream !== 'hill'), await readFhir(alice)]
  ] as const)
    t.same(
      new Map(found.map(({ note, valueQuantity }) => [note[0].text, valueQuantity])),
      new Map(
        all.map(([, type, content, value, unit]) => [
          `${type} ${content}`,
          { value, unit, system: 'http://unitsofmeasure.org', code: unit }
        ])
      )
    )
})

t.test('sleep whose duration is not known says so', async t => {
  const { alice, clock } = await coffer(t)
  await alice.stream('sleep')
  const content = { analysis: 'asleep' }
  const add = (fields: object): Promise<Answer> =>
    alice.event({ streamIds: ['sleep'], type: 'sleep/analysis', content, ...fields })
  await add({ time: clock.now() - 7200, duration: 3600 })
  await add({ time: clock.now() - 3600 })
  await add({ time: clock.now() - 60, duration: null })
  const { body } = await alice.http('GET', '/events/export?format=fhir-ndjson&sortAscending=true')
  const exported: readonly Answer[] = body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line))
  const expected = [
    { valueQuantity: { value: 60 } },
    { dataAbsentReason: { coding: [{ code: 'unknown' }] } },
    { dataAbsentReason: { coding: [{ code: 'temp-unknown' }] } }
  ]
  t.match(exported, expected)
  const found = await readFhir(alice)
  t.match(found.toReversed(), expected)
})
