/** Forms for event contents: every event type has one, and preserves its contents. */
import t from 'tap'
import { findMeasure } from '../../../schemas/measures/catalogue.js'
import { computeEventIntegrity } from '../../../core/integrity.js'
import { standardTypes } from '../../../schemas/event-types/directory.js'
import { documentedTypes, numericalUnits } from '../../support/event-type-samples.js'
import { Random } from '../../support/random.js'
import { loadWeb } from '../../support/web-module.js'

interface Field {
  readonly name: string
  readonly kind: string
}
type Entries = Readonly<Record<string, string>>
interface Made {
  readonly content: unknown
  readonly problems: ReadonlyMap<string, string>
}
interface Named {
  readonly name: string
}
interface Suggestion {
  readonly type: string
  readonly streamId?: string
  readonly latest?: unknown
  readonly newStream?: { readonly id?: string; readonly measure?: string }
}
interface Modules {
  readonly eventKinds: readonly { readonly id: string; readonly type: string; readonly measure: string }[]
  findSchema(types: object, type: string): object | undefined
  listFields(schema: object | undefined): readonly Field[]
  toEntries(fields: readonly Field[], content: unknown): Entries
  toContent(fields: readonly Field[], entries: Entries, before?: unknown): Made
  parseTypedNumber(text: string): { readonly number?: number; readonly problem?: string }
  formatEditable(number: number): string
  getUnit(type: string): { readonly symbol: string; readonly name: string } | undefined
  formatContent(type: string, content: unknown, options?: object): string
  loadDisplayUnits(stored: unknown): void
  getDefaultUnits(tag: string): Readonly<Record<string, string>>
  getDisplayType(type: string, options?: object): string
  toTimeEntries(time?: number, duration?: number | null): Entries
  readTimes(
    entries: Entries,
    now: number,
    before?: object
  ): {
    readonly time: number
    readonly duration?: number | null
    readonly problems: ReadonlyMap<string, string>
  }
  buildTree(streams: readonly object[]): object
  listSuggestions(facts: readonly object[], tree: object | undefined, now: number): readonly Suggestion[]
  searchKinds(text: string, types: object, facts: readonly object[], tree: object): readonly Suggestion[]
  listStreamAccesses(
    accesses: readonly object[],
    path: readonly string[],
    now: number
  ): readonly { readonly access: Named }[]
  compareAudience(
    accesses: readonly object[],
    before: readonly string[],
    after: readonly string[],
    now: number
  ): { readonly gains: readonly Named[]; readonly loses: readonly Named[] }
  listNamingAccesses(accesses: readonly object[], ids: readonly string[], now: number): readonly Named[]
  checkIntegrity(event: object): Promise<string>
  addModuleTexts(room: string): Promise<void>
}

/** The languages reported by the browser. */
const languages = ['en-GB']
Object.defineProperty(globalThis, 'navigator', { value: { languages }, configurable: true })
Object.assign(globalThis, {
  document: { documentElement: {} },
  location: { href: 'http://localhost/' }
})

t.test('forms of contents', async t => {
  const web = await loadWeb<Modules>(
    'app/events/fields.ts',
    'app/data/typed-numbers.ts',
    'app/data/units.ts',
    'app/data/display-units.ts',
    'app/data/event-types.ts',
    'app/events/time-entries.ts',
    'app/events/check-integrity.ts',
    'app/events/suggestions.ts',
    'app/streams/audience.ts',
    'app/data/tree.ts',
    'app/texts.ts'
  )
  await web.addModuleTexts('data')
  const types = standardTypes.types
  const form = (type: string) => web.listFields(web.findSchema(types, type))
  const wrong = (type: string, entries: Entries) =>
    Object.fromEntries(web.toContent(form(type), entries).problems)

  t.test('every event type has a form that preserves its samples', async t => {
    const numerical = Object.entries(numericalUnits).flatMap(([group, units]) =>
      units.split(' ').map(unit => `${group}/${unit}`)
    )
    const samples = [
      ...Object.entries(documentedTypes).map(([type, { accepted }]) => [type, accepted] as const),
      ...numerical.map(type => [type, [0, -3.25, 61.9, 1e-7, 123_456.789, 1e21]] as const)
    ]
    t.equal(samples.length, Object.keys(types).length, 'there are samples of all types')
    for (const mark of ['en-GB', 'en-ZA']) {
      languages[0] = mark
      for (const [type, accepted] of samples)
        for (const content of accepted) {
          const fields = form(type.replace('*', 'any'))
          const { content: made, problems } = web.toContent(fields, web.toEntries(fields, content), content)
          t.same([...problems], [], `${type} ${JSON.stringify(content)?.slice(0, 60)}`)
          t.strictSame(plain(made ?? undefined), plain(content ?? undefined), type)
          // As for a new event: the content is built only from the fields.
          const isEmpty = content === ''
          const fresh = web.toContent(fields, web.toEntries(fields, content))
          if (!isEmpty)
            t.strictSame(plain(fresh.content ?? undefined), plain(content ?? undefined), `${type}, anew`)
        }
    }
    languages[0] = 'en-GB'
  })

  t.test('errors are reported for their fields', async t => {
    t.same(wrong('mass/kg', { content: '' }), { content: 'missing' })
    t.same(wrong('mass/kg', { content: 'heavy' }), { content: 'number' })
    t.same(wrong('mood/rating', { content: '1.5' }), { content: 'large' })
    t.same(wrong('music/basic', { 'content/track': '1.5' }), { 'content/track': 'whole' })
    t.same(wrong('blood-pressure/mmhg-bpm', { 'content/systolic': '120' }), {
      'content/diastolic': 'missing'
    })
    t.same(wrong('url/http', { content: 'example.com' }), { content: 'address' })
    t.same(wrong('numset/x', { content: '{' }), { content: 'json' })
    t.same(
      wrong('clinical/fhir', {
        'content/displayName': 'x',
        'content/clinicalType': 'labResultRecord',
        'content/fhir/identifier': 'y'
      }),
      { 'content/fhir/resourceType': 'missing' },
      'an optional object is whole or not there'
    )
  })

  t.test('content without a field is kept, and emptied fields are removed', async t => {
    const fields = form('blood-pressure/mmhg-bpm')
    const before = { systolic: 120.000000000001, diastolic: 80, rate: 60, cuff: 'left arm' }
    const entries = { ...web.toEntries(fields, before), 'content/rate': '' }
    t.same(web.toContent(fields, entries, before).content, {
      systolic: 120.000000000001,
      diastolic: 80,
      cuff: 'left arm'
    })
  })

  t.test('numbers are parsed in the format of the locale', async t => {
    const read = (text: string): unknown => {
      const { number, problem } = web.parseTypedNumber(text)
      return number ?? problem
    }
    for (const [text, expected] of [
      ['61.9', 61.9],
      ['61,9', 61.9],
      [' 1 200 ', 1200],
      ['1’200', 1200],
      ['−3', -3],
      ['.5', 0.5],
      ['1e-7', 1e-7],
      ['12.', 12],
      ['1,200,000.5', 1_200_000.5],
      ['1,200', 'ambiguous'],
      ['46.519', 46.519],
      ['1.2.3', 'number'],
      ['', 'number'],
      ['0x10', 'number'],
      ['1e999', 'number']
    ] as const)
      t.equal(read(text), expected, text)
    languages[0] = 'de-DE'
    t.equal(web.formatEditable(61.9), '61.9', 'a region of another language than the page’s does not count')
    languages[0] = 'en-ZA'
    t.equal(read('46,519'), 46.519)
    t.equal(read('46.519'), 'ambiguous')
    languages[0] = 'en-GB'
    const seed = Date.now() % 2 ** 31
    const random = new Random(seed)
    for (let round = 0; round < 2000; round++) {
      const number = (random.next() - 0.5) * 10 ** (random.below(40) - 20)
      if (read(web.formatEditable(number)) !== number) t.fail(`${number} comes out otherwise (seed ${seed})`)
    }
  })

  t.test('units have symbols and names', async t => {
    for (const type of Object.keys(types).filter(
      each => (types[each] as { type?: string }).type === 'number'
    ))
      if (type !== 'mood/rating') t.ok(web.getUnit(type), `${type} has a unit`)
    t.match(web.getUnit('mass/kg'), { symbol: 'kg', name: 'kilograms' })
    t.match(web.getUnit('money/chf'), { symbol: 'CHF', name: 'Swiss Franc' })
  })

  t.test('values are displayed in the preferred units', async t => {
    const shown = (...args: Parameters<Modules['formatContent']>) =>
      web.formatContent(...args).replaceAll('\u00a0', ' ')
    web.loadDisplayUnits({ mass: 'kg', temperature: 'c', distance: 'km', height: 'cm', glucose: 'mmol-l' })
    t.equal(shown('mass/kg', 61.9), '61.9 kg')
    t.equal(shown('mass/lb', 140), '63.5 kg')
    t.equal(shown('temperature/f', 98.6), '37 °C')
    t.equal(shown('blood-pressure/mmhg-bpm', { systolic: 118, diastolic: 77 }), '118/77 mmHg')
    t.equal(shown('mood/rating', 0.8), '8/10')
    t.equal(shown('ratio/percent', 97.5), '97.5%')
    t.equal(shown('boolean/bool', false), 'No')
    t.equal(shown('attributes/blood-type', 'abNegative'), 'AB−')
    t.equal(shown('symptoms/x', 'quiteNew'), 'Quite new')
    t.equal(shown('note/txt', 'a\u202eb\nc'), 'ab c')
    t.equal(shown('picture/attached', undefined), 'Photo')
    t.equal(shown('density/mg-dl', 90, { isGlucose: true }), '5 mmol/L')
    t.equal(shown('density/mg-dl', 90), '90 mg/dL')
    web.loadDisplayUnits({ mass: 'st', temperature: 'f', distance: 'mi', height: 'ft', glucose: 'x' })
    t.equal(shown('mass/kg', 66.678), '10 st 7 lb')
    t.equal(shown('length/cm', 177.8), '5 ft 10 in')
    t.equal(shown('length/km', 5), '3.11 mi')
    t.equal(shown('temperature/c', 37), '98.6 °F')
    t.equal(web.getDisplayType('mass/kg'), 'mass/lb', 'what is entered is in pounds')
    t.match(web.getDefaultUnits('en-US'), { mass: 'lb', temperature: 'f', glucose: 'mg-dl' })
    t.match(web.getDefaultUnits('de-CH'), { mass: 'kg', temperature: 'c', glucose: 'mmol-l' })
  })

  t.test('untouched times are preserved to the last digit', async t => {
    const before = { time: 1_700_000_000.123, duration: 60.5 }
    const entries = web.toTimeEntries(before.time, before.duration)
    t.match(web.readTimes(entries, 5, before), before)
    t.match(web.readTimes({ ...entries, hours: '1', minutes: '' }, 5, before), {
      time: before.time,
      duration: 3600
    })
    t.match(web.readTimes({ ...entries, lasting: 'running' }, 5, before), { duration: null })
    t.match(web.readTimes({ time: '', lasting: 'moment' }, 5), { time: 5, duration: undefined })
    const { problems } = web.readTimes(
      { time: '2026-01-02T00:00', lasting: 'until', until: '2026-01-01T00:00' },
      5
    )
    t.same([...problems], [['until', 'before']])
    const end = web.readTimes({ time: '2026-01-02T00:00', lasting: 'until', until: '2026-01-02T08:00' }, 5)
    t.equal(end.duration, 8 * 3600)
  })

  t.test('suggestions begin with what the user adds by hand, and search finds all types', async t => {
    const now = 1_700_000_000
    const tree = web.buildTree([
      stream('weight'),
      stream('sensor'),
      stream('old'),
      stream('gone', { trashed: true }),
      stream('glucose')
    ])
    const facts = [
      fact(now, 'sensor', 'temperature/c', 100_000, 0, 20),
      fact(now, 'old', 'count/generic', 30, 300, 7),
      fact(now, 'weight', 'mass/kg', 60, 1, 61.9),
      fact(now, 'gone', 'note/txt', 60, 1, 'x'),
      fact(now, 'glucose', 'series:density/mmol-l', 3, 1)
    ]
    const offered = web.listSuggestions(facts, tree, now)
    t.match(offered[0], { streamId: 'weight', type: 'mass/kg', latest: 61.9 })
    t.notOk(offered.some(({ streamId }) => streamId === 'gone' || streamId === 'glucose'))
    t.ok(
      offered.some(({ newStream }) => newStream?.id === 'note'),
      'what is missing is offered, too'
    )
    t.same(
      web.listSuggestions([], undefined, now).map(({ newStream }) => newStream?.id),
      ['weight', 'blood-pressure', 'note', 'photo', 'mood', 'body-temperature'],
      'somebody new is offered what most begin with'
    )
    t.match(
      offered.find(({ newStream }) => newStream?.id === 'note'),
      { newStream: { measure: 'note' } }
    )
    for (const { id, measure, type } of web.eventKinds)
      t.ok(findMeasure(measure)?.types.includes(type), `events of kind ${id} belong to its measure`)
    const names = (wanted: string) => web.searchKinds(wanted, types, facts, tree).map(({ type }) => type)
    web.loadDisplayUnits({ mass: 'lb', glucose: 'mg-dl' })
    t.equal(names('GEWICHT')[0], 'mass/lb', 'in the unit that is wanted')
    t.equal(names('sucre')[0], 'density/mg-dl')
    t.same(names('glycemie'), names('glycémie'))
    t.match(web.searchKinds('blutzucker', types, facts, tree)[0], { streamId: 'glucose' })
    t.ok(names('angular').includes('angular-speed/rad-s'))
    t.same(names('zzz'), [])
    web.loadDisplayUnits(undefined)
  })

  t.test('who can see a stream, and who will after moving it', async t => {
    const all = [
      access('doctor', { body: 'read', secret: 'none' }),
      access('everything', { '*': 'read' }),
      access('adder', { body: 'create-only' }),
      access('over', { '*': 'read' }, { expires: 5 }),
      access('self', {}, { type: 'personal' })
    ]
    const seers = web.listStreamAccesses(all, ['body', 'weight'], 10)
    t.same(named(seers.map(each => each.access)), ['doctor', 'everything', 'adder'])
    t.same(named(web.listStreamAccesses(all, ['body', 'secret'], 10).map(each => each.access)), [
      'everything',
      'adder'
    ])
    const { gains, loses } = web.compareAudience(all, ['body', 'weight'], ['weight'], 10)
    t.same([named(gains), named(loses)], [[], ['doctor']])
    t.same(named(web.listNamingAccesses(all, ['body', 'secret'], 10)), ['doctor', 'adder'])
  })

  t.test('a digest computed in the browser equals that of the service', async t => {
    const seed = Date.now() % 2 ** 31
    const random = new Random(seed)
    const character = (): string =>
      String.fromCodePoint(
        random.pick([34, 92, 7, 10, 0x7f, 0xad, 0x200e, 0xfeff, 0x1f600, random.below(0xd800)])
      )
    const word = (): string => Array.from({ length: random.below(8) }, character).join('')
    const value = (depth: number): unknown =>
      random.pick([
        () => word(),
        () => random.next() * 10 ** random.below(30),
        () => null,
        () => (depth > 3 ? true : Array.from({ length: random.below(3) }, () => value(depth + 1))),
        () =>
          depth > 3
            ? 0
            : Object.fromEntries(Array.from({ length: random.below(4) }, () => [word(), value(depth + 1)]))
      ])()
    for (let round = 0; round < 500; round++) {
      const event = {
        id: 'c',
        streamIds: ['a', word()],
        streamId: 'a',
        tags: [],
        time: random.next() * 1e9,
        type: 'a/b',
        content: value(0),
        clientData: { [word()]: value(0) },
        duration: random.pick([0, null, 5]),
        trashed: random.chance(0.5),
        attachments: [{ id: 'f', fileName: word(), type: 'x', size: 1, readToken: 'secret' }],
        modified: 1
      }
      const algorithm = random.pick(['sha256', 'sha512', 'sha1'] as const)
      const integrity = computeEventIntegrity(event, algorithm)
      const proof = await web.checkIntegrity({ ...event, integrity })
      if (proof !== 'matches') t.fail(`differs in round ${round} (seed ${seed}): ${JSON.stringify(event)}`)
      if (round === 0) t.equal(await web.checkIntegrity({ ...event, integrity, time: -1 }), 'differs')
    }
    t.equal(await web.checkIntegrity({ id: 'c' }), 'missing')
    t.equal(await web.checkIntegrity({ id: 'c', integrity: 'EVENT:0:md5-x' }), 'unchecked')
  })
})

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

function stream(id: string, more: object = {}): object {
  return { id, name: id, parentId: null, children: [], ...more }
}

/** Returns a fact of a stream over a hundred days, until `days` before `now`. */
function fact(
  now: number,
  streamId: string,
  type: string,
  count: number,
  days: number,
  latest?: unknown
): object {
  return { streamId, type, count, first: now - 100 * 86_400, last: now - days * 86_400, latest }
}

function access(name: string, levels: Readonly<Record<string, string>>, more: object = {}): object {
  const permissions = Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))
  return { id: name, name, type: 'shared', permissions, ...more }
}

function named(list: readonly Named[]): string[] {
  return list.map(({ name }) => name)
}
