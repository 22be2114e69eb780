/** Every type of the directory accepts valid contents and refuses others; operators may add types. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { ApiError } from '../../../core/errors.js'
import { loadEventTypes, type EventTypes } from '../../../core/event-types/directory.js'
import { silentLog, type Log } from '../../../core/log.js'
import { coffer, testConfig } from '../../support/coffer.js'
import { documentedTypes, numericalUnits } from '../../support/event-type-samples.js'
import { assertTakesLessThan, stopwatch } from '../../support/probe.js'

/** Loads the types of a server with this setting. Returns them with the log. */
async function load(eventTypes = ''): Promise<{ types: EventTypes; logged: string[] }> {
  const logged: string[] = []
  const push = (message: string): void => void logged.push(message)
  const log: Log = { ...silentLog, warn: push, error: push }
  const config = testConfig('unused', { service: { eventTypes } })
  return { types: await loadEventTypes(config, log), logged }
}

/** Returns the error for a content, as callers see it. */
function refusal(types: EventTypes, type: string, content?: unknown): { id?: string } | undefined {
  try {
    types.check(type, content)
  } catch (error) {
    if (error instanceof ApiError) return error.toJSON()
    throw error
  }
  return undefined
}

const { types } = await load()

t.test('the directory', async t => {
  const numerical = Object.entries(numericalUnits).flatMap(([name, units]) =>
    units.split(' ').map(unit => `${name}/${unit}`)
  )

  t.test('contains the documented types, and no others', async t => {
    t.same(
      Object.keys(types.directory.types).toSorted(),
      [...Object.keys(documentedTypes), ...numerical].toSorted()
    )
    t.match(types.directory, { version: /^\d+\.\d+\.\d+$/, extras: {} })
    t.same(JSON.parse(JSON.stringify(types.directory)), types.directory, 'as JSON too')
  })

  for (const [type, { accepted, refused }] of Object.entries(documentedTypes))
    t.test(`${type} accepts and refuses contents`, async t => {
      const used = type.replace('*', 'of-my-own')
      t.ok(types.isKnown(used))
      for (const content of accepted) t.same(types.check(used, content), content ?? undefined)
      for (const content of refused)
        t.equal(refusal(types, used, content)?.id, 'invalid-parameters-format', JSON.stringify(content))
    })

  t.test('numerical types accept only numbers and numeric text', async t => {
    for (const type of numerical) {
      t.equal(types.check(type, 12.5), 12.5, type)
      t.equal(types.check(type, '12'), 12, type)
      t.equal(refusal(types, type, 'twelve')?.id, 'invalid-parameters-format', type)
    }
  })
})

t.test('check', async t => {
  t.test('converts text to numbers', async t => {
    for (const [text, number] of [
      ['12', 12],
      ['-0.5', -0.5],
      ['+3', 3],
      ['.5', 0.5],
      ['5.', 5],
      ['1e3', 1000],
      ['1E-2', 0.01]
    ] as const) {
      t.equal(types.check('mass/kg', text), number, text)
      t.equal(types.check('ratio/percent', text), number, text)
    }
    t.equal(types.check('money/chf', '9.95'), 9.95)
    t.equal(types.check('mood/rating', '0.5'), 0.5)
  })

  t.test('refuses contents that are not numbers', async t => {
    const texts = [
      '',
      ' ',
      'abc',
      '1 2',
      '0x10',
      'Infinity',
      'NaN',
      '1e999',
      '--1',
      '1e',
      '.',
      '٣',
      '1'.repeat(500)
    ]
    for (const content of [...texts, true, null, undefined, [], [1], {}, Infinity, NaN])
      for (const type of ['mass/kg', 'money/eur', 'ratio/percent', 'mood/rating'])
        t.equal(refusal(types, type, content)?.id, 'invalid-parameters-format', type)
  })

  t.test('converts text to booleans', async t => {
    t.equal(types.check('boolean/bool', 'true'), true)
    t.equal(types.check('boolean/bool', 'false'), false)
    for (const content of ['yes', 'TRUE', '', 0, 1, null])
      t.equal(refusal(types, 'boolean/bool', content)?.id, 'invalid-parameters-format')
  })

  t.test('does not convert within contents', async t => {
    const content = { latitude: '46.5', longitude: 6.6 }
    t.equal(refusal(types, 'position/wgs84', content)?.id, 'invalid-parameters-format')
  })

  t.test('accepts any content of unknown types unchanged', async t => {
    for (const content of [
      '12',
      12,
      null,
      undefined,
      [],
      { a: { b: [] } },
      { __proto__: null, constructor: 1 }
    ])
      t.equal(types.check('my-own/type', content), content)
    t.notOk(types.isKnown('my-own/type'))
  })

  t.test('does not treat the names of object members as types', async t => {
    for (const type of [
      'constructor',
      '__proto__',
      'toString',
      'mass/constructor',
      '__proto__/x',
      'mass/*/kg',
      ''
    ])
      t.notOk(types.isKnown(type), type)
  })

  t.test('does not accept inherited members as fields', async t => {
    const content = JSON.parse('{"__proto__":{"systolic":120,"diastolic":80}}')
    t.equal(refusal(types, 'blood-pressure/mmhg-bpm', content)?.id, 'invalid-parameters-format')
  })

  t.test('reports violations as codes', async t => {
    for (const [type, content, violation] of [
      ['mass/kg', 'x', { code: 'INVALID_TYPE', path: '#/content' }],
      ['note/txt', undefined, { code: 'INVALID_TYPE', path: '#/content' }],
      ['activity/plain', 'x', { code: 'INVALID_TYPE', path: '#/content' }],
      [
        'position/wgs84',
        { latitude: 1, longitude: 'x' },
        { code: 'INVALID_TYPE', path: '#/content/longitude' }
      ],
      [
        'position/wgs84',
        { latitude: 1 },
        { code: 'OBJECT_MISSING_REQUIRED_PROPERTY', path: '#/content', params: ['longitude'] }
      ],
      ['symptoms/severity', 'bad', { code: 'ENUM_MISMATCH', path: '#/content' }],
      ['url/http', 'ftp://x', { code: 'PATTERN', path: '#/content' }],
      ['mood/rating', 2, { code: 'MAXIMUM', path: '#/content' }],
      ['note/txt', 'x'.repeat(4_194_305), { code: 'MAX_LENGTH', path: '#/content' }]
    ] as const)
      t.match(
        refusal(types, type, content),
        { message: /format is invalid: content/, data: [{ ...violation, message: String }] },
        type
      )
  })

  t.test('checks patterns in linear time', async t => {
    const long = 4 * 1024 * 1024
    await assertTakesLessThan(t, 1000, () => {
      const elapsed = stopwatch()
      for (const [type, text] of [
        ['url/http', `http://${'a'.repeat(long)}\n`],
        ['credentials/service-api-endpoint', `http://${'@'.repeat(long)}\n`],
        ['mass/kg', `${'1'.repeat(long)}x`]
      ] as const)
        t.equal(refusal(types, type, text)?.id, 'invalid-parameters-format')
      return elapsed()
    })
  })

  t.test('requires series events without content', async t => {
    for (const type of ['series:mass/kg', 'series:position/wgs84', 'series:money/chf']) {
      const elementType = type.slice('series:'.length)
      for (const content of [undefined, null]) t.match(types.check(type, content), { elementType })
      for (const content of [12, {}, 'x'])
        t.equal(refusal(types, type, content)?.id, 'invalid-parameters-format')
    }
    for (const type of ['series:my-own/type', 'series:series:mass/kg', 'series:'])
      for (const content of [undefined, 12]) t.equal(refusal(types, type, content)?.id, 'invalid-event-type')
  })
})

t.test('fields', async t => {
  const names = (type: string): string[] =>
    types.fields(type).map(f => (f.isRequired ? f.name : `${f.name}?`))
  t.same(names('mass/kg'), ['value'])
  t.same(types.fields('boolean/bool'), [
    { name: 'value', schema: types.directory.types['boolean/bool'], isRequired: true }
  ])
  t.same(names('blood-pressure/mmhg-bpm'), ['systolic', 'diastolic', 'rate?'])
  t.same(names('clinical/fhir'), ['displayName', 'clinicalType', 'fhir.identifier?', 'fhir.resourceType?'])
  t.same(names('activity/plain'), [])
  t.same(names('my-own/type'), [])
})

t.test('custom types', async t => {
  const own = {
    version: '7.0.0',
    types: {
      'my-own/type': { type: 'string', pattern: '^[a-z]+$' },
      'mass/kg': { type: 'number', minimum: 0 },
      'mass/stones-and-pounds': { type: 'number' },
      'free/*': { type: 'array' }
    },
    extras: { mass: { name: { en: 'Mass' } } }
  }
  const folder = t.testdir({ 'types.json': JSON.stringify(own) })

  function assertTypesLoaded({ types, logged }: { types: EventTypes; logged: string[] }): void {
    t.same(logged, [])
    t.equal(types.check('my-own/type', 'abc'), 'abc')
    t.equal(refusal(types, 'my-own/type', '123')?.id, 'invalid-parameters-format')
    t.equal(refusal(types, 'mass/kg', '-1')?.id, 'invalid-parameters-format', 'before the standard ones')
    t.equal(types.check('mass/kg', '1'), 1)
    t.equal(types.check('mass/stones-and-pounds', '12'), 12)
    t.equal(refusal(types, 'free/of-choice', {})?.id, 'invalid-parameters-format')
    t.equal(refusal(types, 'mass/g', 'x')?.id, 'invalid-parameters-format', 'with the standard ones')
    t.match(types.directory, { ...own, types: { 'mass/kg': { minimum: 0 }, 'mass/g': { type: 'number' } } })
  }

  t.test('are loaded from a file', async () => {
    assertTypesLoaded(await load(pathToFileURL(join(folder, 'types.json')).href))
  })

  t.test('are loaded from a server, which receives the API version', async t => {
    const agents: unknown[] = []
    const server = createServer((request, response) => {
      agents.push(request.headers['user-agent'])
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(own))
    })
    t.teardown(() => void server.close())
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
    assertTypesLoaded(await load(`http://127.0.0.1:${(server.address() as AddressInfo).port}/types.json`))
    t.match(agents, [/1\.6\.21/])
  })

  t.test('are skipped individually if they are invalid, with one warning', async t => {
    const wrong: Record<string, unknown> = {
      'wrong/additional': { type: 'object', additionalProperties: 'true' },
      'wrong/required': { type: 'object', properties: { a: { type: 'number' }, required: ['a'] } },
      'wrong/nothing': { type: 'object', properties: { a: null } },
      'wrong/type': { type: 'strange' },
      'wrong/pattern': { type: 'string', pattern: '(' },
      'wrong/reference': { $ref: '#/nowhere' },
      'wrong/text': 'string',
      'wrong/null': null,
      'wrong/list': [],
      'wrong/camelCase': { type: 'string' },
      'not a name': { type: 'string' },
      '': { type: 'string' },
      'mass/kg': { type: 'number', minimum: 'none' }
    }
    const good = { 'good/first': { type: 'string' }, ...wrong, 'good/last': { type: 'number', maximum: 3 } }
    const text = JSON.stringify({ types: good, version: 7, extras: [] })
    const file = join(folder, 'mixed.json')
    writeFileSync(file, text.replace('"wrong/type"', '"__proto__":{"type":"string"},"wrong/type"'))
    const { types, logged } = await load(pathToFileURL(file).href)
    t.equal(types.check('good/first', 'x'), 'x')
    t.equal(refusal(types, 'good/last', 4)?.id, 'invalid-parameters-format', 'what comes after counts')
    t.equal(types.check('mass/kg', '12'), 12, 'the standard one stays')
    t.equal(types.directory.types['mass/kg']?.['minimum'], undefined)
    t.match(types.directory, { version: /^\d+\.\d+\.\d+$/, extras: {} })
    for (const name of ['__proto__', ...Object.keys(wrong)]) {
      if (name !== 'mass/kg') t.notOk(Object.hasOwn(types.directory.types, name), name)
      if (name.startsWith('wrong/')) t.notOk(types.isKnown(name), name)
    }
    t.equal(logged.length, 1, 'once')
    for (const name of ['__proto__', 'version', 'extras', ...Object.keys(wrong)])
      t.match(logged[0], `${JSON.stringify(name)}: `)
    t.match(logged[0], /"wrong\/additional": [^,;]*additionalProperties must be object/)
  })

  t.test('are reported once, however many threads there are', async t => {
    const file = join(folder, 'one-wrong.json')
    writeFileSync(file, JSON.stringify({ types: { 'a/b': { type: 'strange' } } }))
    const logged: string[] = []
    const log: Log = { ...silentLog, warn: message => void logged.push(message) }
    await coffer(t, { workers: 2, service: { eventTypes: pathToFileURL(file).href } }, log)
    t.match(
      logged.filter(message => message.includes('service.eventTypes')),
      [/ignored \(1\): "a\/b"/]
    )
    t.equal(logged.filter(message => message.includes('a/b')).length, 1)
  })

  t.test('are reported in part if thousands are invalid', async t => {
    const many = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`Wrong ${index}`.repeat(50), {}])
    )
    const file = join(folder, 'many.json')
    writeFileSync(file, JSON.stringify({ types: { ...many, 'good/one': { type: 'string' } } }))
    const { types, logged } = await load(pathToFileURL(file).href)
    t.ok(types.isKnown('good/one'))
    t.equal(logged.length, 1)
    t.match(logged[0], '5000')
    t.ok(logged[0]!.length < 10_000)
  })

  t.test('are all skipped if they cannot be loaded', async t => {
    const server = createServer((request, response) => {
      if (request.url === '/endless') {
        const fill = (): void => {
          while (!response.destroyed && response.write(' '.repeat(1024 * 1024)));
        }
        response.on('drain', fill)
        fill()
      } else response.writeHead(404).end('{}')
    })
    t.teardown(() => void server.close())
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

    const files: Record<string, string> = {
      'no.json': 'no JSON',
      'list.json': '[]',
      'null.json': 'null',
      'without-types.json': '{}',
      'list-of-types.json': JSON.stringify({ types: [{ type: 'string' }] })
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    for (const location of [
      ...Object.keys(files).map(name => pathToFileURL(join(folder, name)).href),
      pathToFileURL(join(folder, 'missing.json')).href,
      pathToFileURL(folder).href,
      `${base}/missing.json`,
      `${base}/endless`,
      'http://127.0.0.1:1/refused.json',
      'ftp://127.0.0.1/types.json',
      'no URL'
    ]) {
      const { types, logged } = await load(location)
      t.match(logged, [/could not be loaded/], location)
      t.equal(types.check('mass/kg', '12'), 12)
      t.notOk(types.isKnown('a/b'))
    }
  })
})
