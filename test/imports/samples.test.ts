/** Files from others, whose contents are counted here without the formats. (samples/README.md) */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import type { ImportedRecord } from '../../imports/record.js'
import { collected, type Collected } from './collecting.js'

const folder = join(packageDirectory, 'test/imports/samples')
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8')
const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, count) => all + count, 0)

/** Returns whether every record was imported or skipped, once. */
function isComplete({ data, leftOut, records }: Collected): boolean {
  return sum(records) === data.length + sum(leftOut)
}

/** Returns the positions in a file: latitude and longitude of an element. */
function places(text: string, element: string): number[][] {
  return [...text.matchAll(new RegExp(`<${element} ([^>]*)>`, 'g'))].map(([, attributes = '']) =>
    ['lat', 'lon'].map(name => Number(new RegExp(`${name}="([^"]+)"`).exec(attributes)?.[1]))
  )
}

function placesOf(data: readonly ImportedRecord[], kind: string): number[][] {
  return data
    .filter(each => each.kind === kind)
    .map(({ content }) => {
      const { latitude, longitude } = content as Record<string, number>
      return [latitude!, longitude!]
    })
}

for (const [name, waypoints, planned] of [
  ['demo.gpx', 2, 205],
  ['run.gpx', 0, 0]
] as const)
  t.test(`${name} is read completely`, async t => {
    const text = textOf(name)
    const found = await collected(text, name)
    t.same(found.formats, ['gpx'])
    t.ok(isComplete(found))
    t.same(placesOf(found.data, 'trkpt'), places(text, 'trkpt'))
    t.same(placesOf(found.data, 'wpt'), places(text, 'wpt'))
    t.equal(found.records['wpt'] ?? 0, waypoints)
    t.equal(found.records['rtept'] ?? 0, planned)
    t.equal(found.data.filter(({ type }) => type === 'activity/plain').length, 1)
    const times = [...text.matchAll(/<trkpt [^]*?<time>([^<]+)/g)].map(
      ([, time = '']) => Date.parse(time) / 1000
    )
    t.same(
      found.data.filter(({ kind }) => kind === 'trkpt').map(({ time }) => time),
      times
    )
    t.same(found.warnings, [])
  })

t.test('patient.json is read completely', async t => {
  interface Resource {
    readonly resourceType: string
    readonly code: { readonly coding: readonly { readonly code: string }[] }
    readonly effectiveDateTime: string
    readonly valueQuantity?: { readonly value: number }
    readonly component?: readonly Resource[]
  }
  const text = textOf('patient.json')
  const resources = (JSON.parse(text) as { entry: { resource: Resource }[] }).entry.map(
    ({ resource }) => resource
  )
  const found = await collected(text, 'patient.json')
  t.same(found.formats, ['fhir'])
  t.ok(isComplete(found))
  const kinds: Record<string, number> = {}
  for (const { resourceType } of resources) kinds[resourceType] = (kinds[resourceType] ?? 0) + 1
  t.same(found.records, kinds)
  t.same(found.leftOut, { 'of a kind without a type here': 8 })
  const coded = (code: string): Resource[] =>
    resources.filter(
      ({ code: own, resourceType }) => resourceType === 'Observation' && own.coding[0]?.code === code
    )
  const contents = (type: string): unknown[] =>
    found.data.filter(each => each.type === type).map(({ content, time }) => [time, content])
  const expected = (code: string): unknown[] =>
    coded(code).map(({ effectiveDateTime, valueQuantity }) => [
      Date.parse(effectiveDateTime) / 1000,
      valueQuantity?.value
    ])
  t.same(contents('length/cm'), expected('8302-2'))
  t.same(contents('mass/kg'), expected('29463-7'))
  t.same(contents('pressure/kg-m2'), expected('39156-5'))
  t.same(
    contents('blood-pressure/mmhg-bpm'),
    coded('55284-4').map(({ component = [], effectiveDateTime }) => {
      const part = (code: string): number | undefined =>
        component.find(({ code: own }) => own.coding[0]?.code === code)?.valueQuantity?.value
      return [Date.parse(effectiveDateTime) / 1000, { systolic: part('8480-6'), diastolic: part('8462-4') }]
    })
  )
})
