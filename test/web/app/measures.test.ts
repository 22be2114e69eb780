/** Names, units and icons of measures in the app. */
import { join } from 'node:path'
import t from 'tap'
import { findMeasure, measures } from '../../../schemas/measures/catalogue.js'
import type { Measure } from '../../../schemas/measures/measure.js'
import { packageDirectory } from '../../../core/version.js'
import { loadWeb } from '../../support/web-module.js'

/** The functions of the pages; their own types need those of browsers. */
interface Modules {
  formatMeasureNumber(measure: object, value: number, options?: object): Quantity
  formatMeasurePair(measure: object, pair: readonly (number | null)[]): Quantity
  getMeasureName(measure: object): string
  getChoiceLabel(measure: object, value: unknown): string | undefined
  joinQuantity(quantity: Quantity): string
  loadDisplayUnits(stored: unknown): void
  setLanguage(wanted: readonly string[]): Promise<void>
}

interface Quantity {
  readonly value: string
  readonly unit: string
}

interface Build {
  measureIcons(root: string): {
    resolveId(source: string, importer: string): string
    load(path: string): Promise<string>
  }
}

/** The languages reported by the browser. */
const languages = ['en-GB']
Object.defineProperty(globalThis, 'navigator', { value: { languages }, configurable: true })
Object.assign(globalThis, {
  document: { documentElement: {} },
  location: { href: 'http://localhost/' }
})

const get = (id: string): Measure => findMeasure(id)!

t.test('measures in the app', async t => {
  const web = await loadWeb<Modules>(
    'app/data/measures.ts',
    'app/data/units.ts',
    'app/data/display-units.ts',
    'language.ts'
  )
  const shown = (id: string, value: number, options?: object): string =>
    web.joinQuantity(web.formatMeasureNumber(get(id), value, options)).replaceAll('\u00a0', ' ')
  const use = (tag: string, stored?: unknown): void => {
    languages[0] = tag
    web.loadDisplayUnits(stored)
  }

  await t.test('numbers have the units of the region, or those that the user has chosen', async t => {
    use('en-GB')
    t.equal(shown('weight', 61.9), '61.9 kg')
    t.equal(shown('distance', 8046.72), '5 mi')
    t.equal(shown('height', 165), '165 cm')
    use('en-US')
    t.equal(shown('weight', 61.9), '136.5 lb')
    t.equal(shown('water', 500), '16.9 fl oz')
    t.equal(shown('body-temperature', 37), '98.6 °F')
    t.equal(shown('elevation-gain', 100), '328.1 ft', 'feet, although heights are in feet and inches')
    t.equal(shown('glucose', 5), '90 mg/dL')
    use('en-US', { mass: 'st', glucose: 'mmol-l' })
    t.equal(shown('weight', 72.574_779_2), '11 st 6 lb')
    t.equal(shown('glucose', 5), '5 mmol/L')
    use('en-GB', { mass: 'lb', distance: 'km' })
    t.equal(shown('weight', 60), '132.3 lb')
    t.equal(shown('weight', 120, { type: 'mass/lb' }), '120 lb', 'a number in a type other than the first')
    t.equal(shown('distance', 8046.72), '8.05 km')
    use('en-GB')
  })

  await t.test('numbers are as stored, means are rounded', async t => {
    t.equal(shown('weight', 61.234_567), '61.234567 kg')
    t.equal(shown('weight', 61.234_567, { isRounded: true }), '61.2 kg')
    t.equal(shown('steps', 8123.4, { isRounded: true }), '8,123')
    t.equal(shown('oxygen-saturation', 97), '97%')
    t.equal(shown('mood', 0.75), '7.5/10')
    t.equal(web.joinQuantity(web.formatMeasurePair(get('blood-pressure'), [117.6, 76])), '118/76\u00a0mmHg')
    t.equal(web.formatMeasurePair(get('blood-pressure'), [null, 76]).value, '–/76')
  })

  await t.test('names and words are in the language of the page', async t => {
    t.equal(web.getMeasureName(get('weight')), 'Weight')
    await web.setLanguage(['de'])
    t.equal(web.getMeasureName(get('weight')), 'Gewicht')
    const flow = get('menstrual-flow')
    t.equal(web.getChoiceLabel(flow, flow.choices![0]!.value), flow.choices![0]!.names.de)
    t.equal(web.getChoiceLabel(flow, 'unheard of'), undefined)
    await web.setLanguage(['en'])
    const own = { id: 'rex', name: 'Rex', icon: 'dog', hue: 30, kind: 'level', types: ['mass/kg'] } as const
    t.equal(web.getMeasureName(own), 'Rex')
    t.same(web.formatMeasureNumber(own, 28.5), { value: '28.5', unit: 'kg' })
    t.equal(web.getChoiceLabel({ ...own, choices: [{ value: 1, name: 'Walked' }, { value: 0 }] }, 0), '0')
  })

  await t.test('there are icons of all measures', async t => {
    // By a computed path: the types of the build's libraries are those of browsers.
    const { measureIcons } = (await import(join(packageDirectory, 'scripts', 'measure-icons.mjs'))) as Build
    const { load, resolveId } = measureIcons(packageDirectory)
    const code = await load(resolveId('./measure-icons.js', 'measure-icon.tsx'))
    const paths = JSON.parse(code.slice(code.indexOf('{'))) as Record<string, string>
    t.same(
      measures.filter(({ icon }) => !Object.hasOwn(paths, icon)).map(({ icon }) => icon),
      []
    )
    t.same(
      Object.values(paths).filter(path => !/^M[-\d. MLHVCSQTAZmlhvcsqtaz,e]+$/.test(path)),
      []
    )
    t.match(paths['gauge'], /^M0 0m12 14 4-4M/, 'a shape that begins with a relative move stays relative')
    t.ok(paths['dog'], 'some are for measures of the user’s own')
  })
})
