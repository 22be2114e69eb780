/** FHIR: values that are bounds, in other units, or of something that did not take place. */
import { deflateRawSync } from 'node:zlib'
import t from 'tap'
import { coffer } from '../support/coffer.js'
import { broughtIn, sent, takenOut, zipOf } from '../support/importing.js'
import { collected, missing, type Collected } from './collecting.js'

const loinc = 'http://loinc.org'

/** Returns an observation of a weight of 72 kg, unless specified otherwise. */
const observation = (code: string, quantity: object, more: object = {}): object => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: loinc, code }] },
  effectiveDateTime: '2024-05-01T08:00:00+02:00',
  valueQuantity: quantity,
  ...more
})

const read = async (...resources: object[]): Promise<Collected> =>
  await collected(resources.map((resource, at) => JSON.stringify({ id: `r${at}`, ...resource })).join('\n'))

const condition = (more: object): object => ({ resourceType: 'Condition', onsetDateTime: '2011', ...more })

const code = (...codes: readonly string[]): object => ({
  code: { coding: codes.map(each => ({ system: loinc, code: each })) }
})

const verified = (code: string): object => ({ verificationStatus: { coding: [{ code }] } })

const kg = { value: 72, code: 'kg', unit: 'kg' }

t.test('a bound is not a value: the resource is stored unchanged', async t => {
  const glucose = { value: 20, unit: 'mg/dL', code: 'mg/dL' }
  const panel = (comparator?: string): object =>
    observation(
      '85354-9',
      {},
      {
        valueQuantity: undefined,
        component: ['8480-6', '8462-4'].map(code => ({
          code: { coding: [{ system: loinc, code }] },
          valueQuantity: { value: 200, code: 'mm[Hg]', ...(comparator !== undefined && { comparator }) }
        }))
      }
    )
  const found = await read(
    observation('2339-0', { ...glucose, comparator: '<' }),
    observation('2339-0', glucose),
    panel('>'),
    panel()
  )
  t.match(found.data, [
    { type: 'clinical/fhir', clientData: { 'fhir:resource': { valueQuantity: { comparator: '<' } } } },
    { type: 'density/mg-dl', content: 20 },
    { type: 'clinical/fhir' },
    { type: 'blood-pressure/mmhg-bpm' }
  ])
})

t.test('what is not about the patient, or has a modifier, is no measurement of theirs', async t => {
  const others = [
    { focus: [{ display: 'Fetus' }] },
    { modifierExtension: [{ url: 'https://example.org/estimated', valueBoolean: true }] }
  ]
  const found = await read(
    observation('29463-7', kg),
    ...others.map(each => observation('29463-7', kg, each))
  )
  t.same(
    found.data.map(({ type }) => type),
    ['mass/kg', 'clinical/fhir', 'clinical/fhir']
  )
})

t.test('a value needs a unit of what its code measures', async t => {
  const taken: [code: string, unit: string, type: string][] = [
    ['8867-4', '/min', 'frequency/bpm'],
    ['8867-4', '{beats}/min', 'frequency/bpm'],
    ['8867-4', 'beats/minute', 'frequency/bpm'],
    ['9279-1', '{breaths}/min', 'frequency/brpm'],
    ['55423-8', '{steps}', 'count/steps'],
    ['55423-8', '1', 'count/steps'],
    ['29463-7', '[lb_av]', 'mass/lb'],
    ['8310-5', '[degF]', 'temperature/f'],
    ['2708-6', '%', 'ratio/percent']
  ]
  const other: [code: string, unit: string | undefined][] = [
    ['8867-4', undefined],
    ['8867-4', 'Hz'],
    ['8867-4', '/h'],
    ['55423-8', 'km'],
    ['55423-8', '{steps}/min'],
    ['29463-7', 'cm'],
    ['8302-2', 'kg']
  ]
  const found = await read(
    ...[...taken, ...other].map(([code, unit]) => observation(code, { value: 61, code: unit }))
  )
  t.same(
    found.data.map(({ type }) => type),
    [...taken.map(([, , type]) => type), ...other.map(() => 'clinical/fhir')]
  )
})

t.test('LOINC can be identified by its OID', async t => {
  const code = { coding: [{ system: 'urn:oid:2.16.840.1.113883.6.1', code: '29463-7' }] }
  const found = await read(observation('29463-7', kg, { code }))
  t.match(found.data, [{ type: 'mass/kg', content: 72, stream: 'Weight' }])
})

t.test('of several codes, the more specific one that is known says what was measured', async t => {
  const beats = { value: 52, unit: '/min', code: '/min' }
  const component = [
    { ...code('8480-6', '8459-0'), valueQuantity: { value: 120, code: 'mm[Hg]' } },
    { ...code('8453-3', '8462-4'), valueQuantity: { value: 80, code: 'mm[Hg]' } },
    { ...code('8867-4', '40443-4'), valueQuantity: beats }
  ]
  const found = await read(
    observation('', beats, code('40443-4', '8867-4')),
    observation('', beats, code('8867-4', '40443-4')),
    observation('', beats, code('8867-4', '40442-6')),
    observation('', kg, code('8350-1', '29463-7')),
    observation('', {}, { ...code('85354-9'), component })
  )
  t.match(found.data, [
    { type: 'frequency/bpm', content: 52, stream: 'Resting heart rate' },
    { type: 'frequency/bpm', content: 52, stream: 'Resting heart rate' },
    { type: 'frequency/bpm', content: 52, stream: 'Heart rate' },
    { type: 'mass/kg', content: 72, stream: 'Weight' },
    { content: { systolic: 120, diastolic: 80, rate: 52 }, stream: 'Blood pressure' }
  ])
})

t.test('quantities beside a blood pressure are records of their own', async t => {
  const part = (of: string, value: number, unit: string): object => ({
    ...code(of),
    valueQuantity: { value, code: unit, unit }
  })
  const pressure = [part('8480-6', 120, 'mm[Hg]'), part('8462-4', 80, 'mm[Hg]'), part('8867-4', 60, '/min')]
  const position = { ...code('8361-8'), valueCodeableConcept: { text: 'sitting' } }
  const panel = (...more: readonly object[]): object =>
    observation('', {}, { ...code('85354-9'), valueQuantity: undefined, component: [...pressure, ...more] })
  const found = await read(
    panel(part('8478-0', 93, 'mm[Hg]'), position, part('29463-7', 72, 'kg')),
    panel(position)
  )
  t.equal(found.data.length, 4)
  t.match(found.data, [
    { type: 'blood-pressure/mmhg-bpm', content: { systolic: 120, diastolic: 80, rate: 60 } },
    {
      type: 'clinical/fhir',
      content: { fhir: { identifier: 'r0.4' } },
      clientData: {
        'fhir:resource': {
          resourceType: 'Observation',
          id: 'r0.4',
          component: undefined,
          ...part('8478-0', 93, 'mm[Hg]'),
          effectiveDateTime: '2024-05-01T08:00:00+02:00'
        }
      }
    },
    { type: 'mass/kg', content: 72, stream: 'Weight' },
    { type: 'blood-pressure/mmhg-bpm' }
  ])
  const times = new Set(found.data.map(({ time }) => time))
  t.equal(times.size, 1, 'of the same time')
  const identities = new Set(found.data.map(({ identity }) => identity))
  t.equal(identities.size, 4)

  const second = await read(panel(part('8480-6', 130, 'mm[Hg]'), part('8462-4', 85, 'mm[Hg]')))
  t.match(
    second.data.slice(1).map(({ clientData }) => clientData),
    [130, 85].map(value => ({ 'fhir:resource': { valueQuantity: { value } } }))
  )

  const high = { interpretation: [{ text: 'high' }] }
  const map = { ...part('8478-0', 93, 'mm[Hg]'), referenceRange: [{ text: '70 to 100' }] }
  const judged = await read({ ...panel(map), ...high, note: [{ text: 'left arm' }] })
  t.match(judged.data[1]?.clientData, {
    'fhir:resource': { ...map, interpretation: undefined, note: undefined }
  })
  const method = { text: 'x'.repeat(30_000) }
  const large = await read({ ...panel(...Array.from({ length: 10 }, () => map)), method })
  t.equal(large.data.length, 1)
  t.same(large.leftOut, { 'larger than a record can be': 10 }, 'long texts are not repeated for each')
})

t.test('entries that did not take place, have no result or were ruled out are skipped by name', async t => {
  const left = await read(
    ...['cancelled', 'registered'].map(status => observation('29463-7', kg, { status })),
    { resourceType: 'Immunization', status: 'not-done', occurrenceDateTime: '2024-05-01' },
    { resourceType: 'Immunization', notGiven: true, status: 'completed', occurrenceDateTime: '2024-05-01' },
    { resourceType: 'MedicationRequest', status: 'cancelled', authoredOn: '2024-05-01' },
    condition(verified('refuted')),
    condition({ verificationStatus: 'refuted' }),
    condition(verified('entered-in-error'))
  )
  t.same(left.data, [])
  t.same(left.leftOut, {
    'cancelled, not carried out or ruled out': 7,
    'marked as entered in error': 1
  })
  const kept = await read(
    ...['final', 'amended', 'preliminary', 'corrected'].map(status => observation('29463-7', kg, { status })),
    condition(verified('confirmed')),
    { resourceType: 'MedicationRequest', status: 'stopped', authoredOn: '2024-05-01' }
  )
  t.equal(kept.data.length, 6)
})

/** Returns a card with these resources, without a valid signature. */
function cardOf(payload: unknown, header: object = { zip: 'DEF', alg: 'ES256', kid: 'k' }): string {
  const text = Buffer.from(JSON.stringify(payload))
  const body = 'zip' in header ? deflateRawSync(text) : text
  return [Buffer.from(JSON.stringify(header)), body, Buffer.alloc(64)]
    .map(part => part.toString('base64url'))
    .join('.')
}

const bundled = (...resources: object[]): object => ({
  iss: 'https://example.org/issuer',
  nbf: 1.7e9,
  vc: {
    type: ['https://smarthealth.cards#health-card'],
    credentialSubject: {
      fhirVersion: '4.0.1',
      fhirBundle: {
        resourceType: 'Bundle',
        type: 'collection',
        entry: resources.map((resource, at) => ({ fullUrl: `resource:${at}`, resource }))
      }
    }
  }
})
const vaccination = {
  resourceType: 'Immunization',
  status: 'completed',
  vaccineCode: { coding: [{ system: 'http://hl7.org/fhir/sid/cvx', code: '207' }] },
  occurrenceDateTime: '2021-01-01'
}
const card = cardOf(bundled({ resourceType: 'Patient' }, vaccination, observation('29463-7', kg)))
const digits = (token: string): string =>
  token.replaceAll(/./g, each => String(each.charCodeAt(0) - 45).padStart(2, '0'))

t.test('SMART Health Cards are read as FHIR, from files and from QR codes', async t => {
  for (const text of [
    JSON.stringify({ verifiableCredential: [card] }),
    `shc:/${digits(card)}`,
    `\nshc:/${digits(card)}\r\n`
  ]) {
    const found = await collected(text, 'card.smart-health-card')
    t.same(found.formats, ['fhir'])
    t.same(
      found.data.map(({ kind, time, type }) => [kind, type, time]),
      [
        ['Immunization', 'clinical/fhir', 1_609_459_200],
        ['Observation', 'mass/kg', 1_714_543_200]
      ]
    )
    t.same(found.leftOut, { 'of a kind without a type here': 1 })
    t.equal(missing(found), 0)
  }
})

t.test('invalid cards are skipped by name', async t => {
  const bomb = cardOf({ vc: 'x'.repeat(64 * 2 ** 20) })
  const found = await collected(
    JSON.stringify({
      verifiableCredential: [
        bomb,
        card.slice(0, 100),
        `${card.split('.')[0]}.AAAA.AAAA`,
        'a.b.c.d.e',
        5,
        '<img src=x>',
        cardOf(bundled(), { zip: 'GZIP' }),
        cardOf(bundled(), {}),
        cardOf({ vc: { credentialSubject: {} } }),
        cardOf([]),
        cardOf(bundled(vaccination), {})
      ]
    })
  )
  t.equal(found.data.length, 1)
  t.same(found.leftOut, {
    'packed suspiciously tightly': 1,
    damaged: 4,
    encrypted: 1,
    'packed by a method that is not known': 1,
    empty: 1,
    'of a kind without a type here': 1,
    'no valid JSON': 1
  })
  t.equal(missing(found), 0)
  const codes = await collected(`shc:/1/2/${digits(card)} shc:/${digits(card).slice(1)}`)
  t.same(codes.leftOut, { damaged: 2 })
  t.same((await collected(`shc:/${'5'.repeat(5 * 2 ** 20)}`)).leftOut, { 'larger than a record can be': 1 })
})

/** Returns a version of one weight, with the time of the measurement. */
const weight = (value: number, meta: object, more: object = {}): object => ({
  ...observation('29463-7', { ...kg, value }),
  id: 'w1',
  subject: { reference: 'Patient/1' },
  meta,
  ...more
})
const changed = { effectiveDateTime: '2024-05-02T08:00:00+02:00' }
const bundleOf = (...resources: object[]): string =>
  JSON.stringify({ resourceType: 'Bundle', entry: resources.map(resource => ({ resource })) })

t.test('the newest version of a resource in a file is imported', async t => {
  const [first, second, third] = [
    weight(70, { versionId: '9', lastUpdated: '2024-05-01T09:00:00Z' }),
    weight(71, { versionId: '10', lastUpdated: '2024-05-02T09:00:00Z' }, changed),
    weight(72, { versionId: '11', lastUpdated: '2024-05-02T10:00:00+00:00' })
  ]
  const older = { 'an earlier version of a record that is in the file': 2 }
  for (const versions of [
    [first, second, third],
    [third, second, first],
    [second, third, first]
  ] as object[][]) {
    const bundle = await collected(bundleOf(...versions))
    t.match(bundle.data, [{ content: 72 }])
    t.same(bundle.leftOut, older)
    t.match((await read(...versions)).data, [{ content: 72 }])
  }
  const numbered = await read(weight(70, { versionId: '10' }, changed), weight(71, { versionId: '9' }))
  t.match(numbered.data, [{ content: 70 }], 'numbers are not compared as texts')
  const wrong = await read(third, weight(70, { versionId: '12' }, { status: 'entered-in-error' }))
  t.same(wrong.data, [])
  t.same(wrong.leftOut, {
    'an earlier version of a record that is in the file': 1,
    'marked as entered in error': 1
  })
  const others = await read(first, weight(80, { versionId: '2' }, { subject: { reference: 'Patient/2' } }))
  t.equal(others.data.length, 2, 'of another patient')
})

t.test('another version of an imported resource is skipped by name', async t => {
  const { alice } = await coffer(t)
  const other = 'another version of a record that was brought in before'
  const first = weight(70, { versionId: '1', lastUpdated: '2024-05-01T09:00:00Z' })
  const versions = [
    weight(71, { versionId: '2', lastUpdated: '2024-05-02T09:00:00Z' }),
    weight(70, { versionId: '3', lastUpdated: '2024-05-03T09:00:00Z' }, changed)
  ]
  const { id } = await broughtIn(alice, 'a.json', JSON.stringify(first))
  for (const version of versions) {
    const { tally } = await broughtIn(alice, 'b.json', JSON.stringify(version))
    t.same(tally, { broughtIn: {}, known: {}, leftOut: { [other]: 1 } })
  }
  const unchanged = weight(70, { versionId: '4', lastUpdated: '2024-05-04T09:00:00Z' })
  t.same((await broughtIn(alice, 'c.json', JSON.stringify(unchanged))).tally.known, { 'mass/kg': 1 })
  const weights = async (): Promise<unknown[]> =>
    (await alice.do('events.get', { types: ['mass/kg'] })).events.map(
      ({ content }: { content: unknown }) => content
    )
  t.same(await weights(), [70])
  await takenOut(alice, id)
  t.same((await broughtIn(alice, 'b.json', JSON.stringify(versions[0]))).tally.broughtIn, { 'mass/kg': 1 })
  t.same(await weights(), [71], 'after undoing the import of the first one')
})

t.test('versions in several files of an archive', async t => {
  const { alice } = await coffer(t)
  const archive = await zipOf({
    'a.json': JSON.stringify(weight(70, { versionId: '1' })),
    'b.json': JSON.stringify(weight(71, { versionId: '2' }, changed))
  })
  const expected = {
    broughtIn: { 'mass/kg': 1 },
    known: {},
    leftOut: { 'another version of a record that was brought in before': 1 }
  }
  t.same((await sent(alice, 'a.zip', archive)).tally, expected)
  t.same((await broughtIn(alice, 'a.zip', archive)).tally, expected)
})
