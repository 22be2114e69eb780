/** Clinical documents: contents, entries that did not happen, and Apple's document, which repeats its other file. */
import t from 'tap'
import { coffer } from '../support/coffer.js'
import { broughtIn, sent, tarOf, total, zipOf } from '../support/importing.js'
import { collected, type Collected } from './collecting.js'

const loinc = 'codeSystem="2.16.840.1.113883.6.1"'
const at = '<effectiveTime value="20240501083000+0200"/>'
const seconds = Date.UTC(2024, 4, 1, 6, 30) / 1000
const template = (number: number): string => `<templateId root="2.16.840.1.113883.10.20.22.4.${number}"/>`
const pq = (value: number | string, unit: string): string =>
  `<value xsi:type="PQ" value="${value}" unit="${unit}"/>`

/** Returns an observation of a weight of 72 kg, unless specified otherwise. */
const observation = ({
  attributes = '',
  code = '29463-7',
  more = '',
  time = at,
  value = pq(72, 'kg')
} = {}): string =>
  `<observation classCode="OBS" ${attributes.includes('moodCode') ? '' : 'moodCode="EVN"'} ${attributes}>
    <code code="${code}" ${loinc} displayName="Named &lt;${code}&gt;"/>${more}${time}${value}</observation>`
const organizer = (parts: readonly string[], more = at): string =>
  `<organizer classCode="CLUSTER" moodCode="EVN"><code code="46680005"/>${more}${parts
    .map(part => `<component>${part}</component>`)
    .join('')}</organizer>`
const section = (code: string, ...entries: readonly string[]): string =>
  `<component><section><code code="${code}" ${loinc}/><title>Section</title>
    <text><table><tbody><tr><td ID="a">Weight: 72 kg</td></tr></tbody></table></text>
    ${entries.map(entry => `<entry typeCode="DRIV">${entry}</entry>`).join('\n')}</section></component>`
const documentOf = (...sections: readonly string[]): string => `<?xml version="1.0"?>
  <?xml-stylesheet type="text/xsl" href="CDA.xsl"?>
  <ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
    <title>Summary</title><effectiveTime value="20240601"/>
    <recordTarget><patientRole><patient><name><given>Alice</given></name></patient></patientRole></recordTarget>
    <custodian><assignedCustodian><representedCustodianOrganization><name>City Hospital</name>
    </representedCustodianOrganization></assignedCustodian></custodian>
    <component><structuredBody>${sections.join('\n')}</structuredBody></component>
  </ClinicalDocument>`
const vitals = '8716-3'
const read = async (code: string, ...entries: readonly string[]): Promise<Collected> =>
  await collected(documentOf(section(code, ...entries)), 'summary.xml')
const isComplete = ({ data, leftOut, records }: Collected): boolean =>
  total(records) === data.length + total(leftOut)
const range = (low: string, high: string): string =>
  `<effectiveTime><low ${low}/><high ${high}/></effectiveTime>`
const status = (code: string): string => `<statusCode code="${code}"/>`
const medication = (name: string, number = 16, attributes = 'moodCode="EVN"', more = ''): string =>
  `<substanceAdministration ${attributes}>${template(number)}${more}
    <effectiveTime xsi:type="IVL_TS"><low value="20240501083000+0200"/></effectiveTime>
    <effectiveTime xsi:type="PIVL_TS"><period value="6" unit="h"/></effectiveTime>
    <consumable><manufacturedProduct><manufacturedMaterial>
      <code code="1" displayName="${name}"/></manufacturedMaterial></manufacturedProduct></consumable>
  </substanceAdministration>`
const concern = (...observations: readonly string[]): string =>
  `<act classCode="ACT" moodCode="EVN">${template(3)}<code code="CONC"/><statusCode code="active"/>
    <effectiveTime><low value="20240501083000+0200"/></effectiveTime>${observations
      .map(each => `<entryRelationship typeCode="SUBJ">${each}</entryRelationship>`)
      .join('')}</act>`
const problem = (name: string, attributes = ''): string =>
  observation({
    attributes,
    code: '55607006',
    time: '<effectiveTime><low nullFlavor="UNK"/></effectiveTime>',
    value: `<value xsi:type="CD" code="${name}" displayName="${name}"/>`
  })
const halfOf = (code: string, value: number): string => observation({ code, value: pq(value, 'mm[Hg]') })
const visit = (more: string): string =>
  documentOf(section(vitals, observation(), observation({ code: 'other', more })))
const person = { 'a description of the person': 1 }

t.test('observations are read like those of FHIR', async t => {
  const found = await read(
    vitals,
    organizer([
      observation(),
      observation({ code: '8867-4', value: pq(61, '/min') }),
      observation({ code: '8310-5', value: pq(98.6, '[degF]'), time: '' }),
      observation({ code: '8480-6', value: pq(121, 'mm[Hg]') }),
      observation({ code: '8462-4', value: pq(79, 'mm[Hg]') })
    ]),
    observation({ code: '55423-8', value: '<value xsi:type="INT" value="4000"/>' }),
    observation({ code: '8867-4', value: pq(61, 'kg') }),
    observation({ value: '<value xsi:type="IVL_PQ"><low value="70" unit="kg"/></value>' }),
    observation({ value: '<value xsi:type="ST">about 72 kg</value>' }),
    observation({ value: '<value xsi:type="PQ" nullFlavor="UNK"/>' })
  )
  t.same(found.formats, ['cda'])
  t.ok(isComplete(found))
  const values = found.data.filter(({ type }) => type !== 'clinical/fhir')
  t.same(
    values.map(({ content, type }) => [type, content]),
    [
      ['mass/kg', 72],
      ['frequency/bpm', 61],
      ['temperature/f', 98.6],
      ['blood-pressure/mmhg-bpm', { systolic: 121, diastolic: 79 }],
      ['count/steps', 4000]
    ]
  )
  t.ok(values.every(({ source, time }) => time === seconds && source === 'City Hospital'))
  const others = found.data.filter(({ type }) => type === 'clinical/fhir')
  t.match(others, [
    { content: { displayName: 'Named <8867-4>', clinicalType: 'vitalSignRecord' } },
    { clientData: { 'cda:statement': /<low value="70" unit="kg"\/>/ } },
    { clientData: { 'cda:statement': /about 72 kg/ } }
  ])
  t.equal(others.length, 3)
  t.same(found.leftOut, {
    ...person,
    'part of a measurement that is brought in as one': 1,
    'not measured, as the file itself says': 1
  })
})

t.test('namespace prefixes and translations to LOINC are read', async t => {
  const plain = documentOf(
    section(vitals, observation({ code: 'X', more: '<x/>' })).replace(
      /<code code="X"[^>]*>/,
      `<code nullFlavor="OTH"><translation code="29463-7" ${loinc}/></code>`
    )
  )
  const prefixed = plain.replaceAll(/<(\/?)([a-z])/gi, '<$1n1:$2')
  for (const text of [plain, prefixed]) {
    const { data } = await collected(text)
    t.match(data, [{ type: 'mass/kg', content: 72, source: 'City Hospital' }])
  }
})

t.test('times have any precision, and ranges become durations', async t => {
  const times: [text: string, time: number, duration?: number][] = [
    ['<effectiveTime value="20240501083000.500-0230"/>', Date.UTC(2024, 4, 1, 11) / 1000 + 0.5],
    ['<effectiveTime value="202405010830"/>', seconds],
    ['<effectiveTime value="20240501"/>', Date.UTC(2024, 3, 30, 22) / 1000],
    ['<effectiveTime value="2024"/>', Date.UTC(2023, 11, 31, 23) / 1000],
    [range('value="20240501083000+0200"', 'value="20240501084000+0200"'), seconds, 600],
    [range('value="20240501083000+0200"', 'nullFlavor="UNK"'), seconds]
  ]
  const text = documentOf(section(vitals, ...times.map(([time]) => observation({ time }))))
  const found = await collected(text, 'a.xml', { zone: 'Europe/Zurich' })
  t.same(
    found.data.map(({ duration, time }) => [time, duration]),
    times.map(([, time, duration]) => [time, duration])
  )
  const none = await read(
    vitals,
    observation({ time: '' }),
    observation({ time: '<effectiveTime nullFlavor="UNK"/>' }),
    observation({ time: '<effectiveTime value="20241301"/>' })
  )
  t.same(none.data, [])
  t.same(none.leftOut, { ...person, 'without a time': 2, 'of a time that cannot be read': 1 })
})

t.test('entries that are planned, cancelled, denied or about another person are skipped by name', async t => {
  const plan = await read(
    '18776-5',
    ...['INT', 'GOL', 'RQO', 'PRMS'].map(mood => observation({ attributes: `moodCode="${mood}"` })),
    '<encounter moodCode="INT"><code code="1"/></encounter>'
  )
  t.same(plan.data, [])
  t.same(plan.leftOut, { ...person, 'a plan or a goal, not something that took place': 5 })
  const off = await read(
    vitals,
    ...['cancelled', 'aborted', 'new', 'held'].map(code => observation({ more: status(code) })),
    observation({ attributes: 'negationInd="true"' }),
    organizer([observation(), observation()], status('cancelled') + at),
    observation({ more: status('nullified') }),
    observation({ attributes: 'nullFlavor="NI"' })
  )
  t.same(off.data, [])
  t.same(off.leftOut, {
    ...person,
    'cancelled, not carried out or ruled out': 7,
    'marked as entered in error': 1,
    'a record without what makes one': 1
  })
  const family = await read(
    '10157-6',
    organizer([observation()], '<subject><relatedSubject classCode="PRS"/></subject>')
  )
  t.same(family.leftOut, { ...person, 'about another person': 1 })
})

t.test('care records become unchanged events', async t => {
  const allergy = `<act moodCode="EVN">${template(30)}${at}<entryRelationship typeCode="SUBJ">
    <observation moodCode="EVN">${template(7)}<code code="ASSERTION"/>${at}<participant><participantRole>
    <playingEntity><name>Peanut</name><code code="2" displayName="Peanuts"/></playingEntity></participantRole>
    </participant></observation></entryRelationship></act>`
  const found = await collected(
    documentOf(
      section('10160-0', medication('Aspirin'), medication('Aspirin', 16, 'moodCode="INT"')),
      section('11369-6', medication('Flu', 52), medication('Polio', 52, 'moodCode="INT"')),
      section('11369-6', medication('Tetanus', 52, 'moodCode="EVN" negationInd="true"')),
      section(
        '11450-4',
        concern(problem('Asthma'), problem('Cough')),
        concern(problem('Gout', 'negationInd="true"'))
      ),
      section('48765-2', allergy),
      section('47519-4', `<procedure moodCode="EVN"><code displayName="Suture"/>${at}</procedure>`),
      section('46240-8', `<encounter moodCode="EVN"><code displayName="Visit"/>${at}</encounter>`),
      section('29299-5')
    )
  )
  t.ok(isComplete(found))
  t.ok(found.data.every(({ time, type }) => time === seconds && type === 'clinical/fhir'))
  t.same(
    found.data.map(({ content, stream }) => [stream, (content as { displayName: string }).displayName]),
    [
      ['MedicationStatements', 'Aspirin'],
      ['MedicationStatements', 'Aspirin'],
      ['Immunizations', 'Flu'],
      ['Conditions', 'Asthma'],
      ['Conditions', 'Cough'],
      ['AllergyIntolerances', 'Peanuts'],
      ['Procedures', 'Suture']
    ]
  )
  t.same(found.leftOut, {
    ...person,
    'a plan or a goal, not something that took place': 1,
    'cancelled, not carried out or ruled out': 2,
    'of a kind without a type here': 2
  })
  t.equal(found.records['section Section'], 1)
})

t.test('ambiguous halves of blood pressures are skipped by name', async t => {
  const found = await read(
    vitals,
    organizer([halfOf('8480-6', 120), halfOf('8480-6', 140), halfOf('8462-4', 80), halfOf('8462-4', 90)]),
    organizer([halfOf('8480-6', 121)]),
    organizer([halfOf('8462-4', 79)])
  )
  t.same(found.data, [])
  t.same(found.leftOut, {
    ...person,
    'one of several of the same time': 4,
    'half of a measurement whose other half is missing': 2
  })
})

t.test('truncated, broken or large documents are read up to the damage', async t => {
  const whole = documentOf(
    section(vitals, observation(), observation({ code: '8302-2', value: pq(180, 'cm') }))
  )
  const cut = await collected(whole.slice(0, whole.indexOf('180')))
  t.equal(cut.data.length, 1)
  t.same(cut.leftOut, { ...person, 'cut off before its end': 1 })
  t.same(cut.warnings, ['The file is cut off: what is whole was read'])
  const large = await read(
    vitals,
    observation({ more: `<text>${'x'.repeat(300_000)}</text>` }),
    observation()
  )
  t.equal(large.data.length, 1)
  t.same(large.leftOut, { ...person, 'larger than a record can be': 1 })
  const broken = await collected(whole.replaceAll('</code>', '').replaceAll('</td>', ''))
  t.equal(broken.data.length, 2)
  const deep = '<component><section>'.repeat(2000)
  await t.rejects(collected(documentOf(deep)), { message: /nested deeper/ })
})

/** The same measurements in both of Apple's formats. */
const healthRecords: [type: string, unit: string, value: number, start: string, end: string][] = [
  ['HeartRate', 'count/min', 61, '080000', '080000'],
  ['StepCount', 'count', 812, '080000', '081000'],
  ['OxygenSaturation', '%', 0.97, '081500', '081500'],
  ['BodyMass', 'kg', 72.5, '082000', '082000'],
  ['BloodPressureSystolic', 'mmHg', 121, '083000', '083000'],
  ['BloodPressureDiastolic', 'mmHg', 79, '083000', '083000']
]
const clock = (text: string): string => `2024-05-01 ${text.replace(/(..)(..)(..)/, '$1:$2:$3')} +0200`
const exportXml = `<HealthData locale="de">${healthRecords
  .map(
    ([type, unit, value, start, end]) =>
      `<Record type="HKQuantityTypeIdentifier${type}" sourceName="Zoë’s Watch" unit="${unit}" value="${value}" startDate="${clock(start)}" endDate="${clock(end)}"/>`
  )
  .join('')}</HealthData>`
const appleEntries = healthRecords.map(
  ([type, unit, value, start, end]) =>
    `<entry typeCode="DRIV">${organizer(
      [
        observation({
          code: '1-1',
          more: `<id root="c6f88321-67ad-11db-bd13-0800200c9a66"/><text><sourceName>Zoë’s Watch</sourceName>
            <value>${value}</value><type>HKQuantityTypeIdentifier${type}</type><unit>${unit}</unit>
            <metadataEntry><key>HKTimeZone</key><value>0</value></metadataEntry></text>`,
          time: `<effectiveTime><low value="20240501${start}+0200"/><high value="20240501${end}+0200"/></effectiveTime>`,
          value: pq(value, unit)
        })
      ],
      ''
    )}</entry>`
)
// Some versions write entries after the end of the document.
const exportCda = `<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"><id extension="Health Export CDA"/>
  ${appleEntries.slice(0, 3).join('')}</ClinicalDocument>${appleEntries.slice(3).join('')}`

t.test('Apple’s document alone yields the records of its other file', async t => {
  const [plain, clinical] = [await collected(exportXml), await collected(exportCda)]
  t.same(clinical.formats, ['apple-health'])
  t.same(clinical.data, plain.data)
  t.same(clinical.records, plain.records)
  t.equal(clinical.data.length, 5)
  t.same(clinical.warnings, [])
})

t.test('Apple’s document next to its other file adds nothing, and is named', async t => {
  const files = {
    'apple_health_export/export_cda.xml': exportCda,
    'apple_health_export/Exportación.xml': exportXml
  }
  const alone = await collected(exportXml)
  for (const archive of [await zipOf(files), tarOf(files)]) {
    const found = await collected(archive)
    t.same(found.data, alone.data)
    t.equal(found.leftOut['a copy of records that are in the archive themselves'], 1)
    t.match(found.warnings, [/export_cda\.xml" is a copy/])
  }
  const elsewhere = await collected(
    await zipOf({ 'a/export_cda.xml': exportCda, 'b/summary.xml': documentOf() })
  )
  t.same(elsewhere.data, alone.data)
})

t.test('records in overlapping documents, and in Apple’s after its other file, are recognised', async t => {
  const { alice } = await coffer(t)
  const both = await zipOf({ 'DOC1.xml': visit('<id root="a"/>'), 'DOC2.xml': visit('<id root="b"/>') })
  const first = await broughtIn(alice, 'portal.zip', both)
  t.same(first.tally.broughtIn, { 'mass/kg': 1, 'clinical/fhir': 1 })
  t.match(first.tally.leftOut, { 'in the file more than once': 2 })
  await broughtIn(alice, 'export.xml', exportXml)
  const second = await sent(alice, 'export_cda.xml', exportCda)
  t.same(second.tally.broughtIn, {})
})
