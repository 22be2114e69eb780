/** `coffer export-data`: events in a format for other programs, next to a running service. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { Layout } from '../../storage/files/layout.js'
import { openCoffer } from '../support/coffer.js'
import { command, commandProcess } from '../support/command.js'

t.setTimeout(900_000)

t.test('coffer export-data', async t => {
  const service = await openCoffer(t)
  const { alice, directory } = service
  await alice.stream('body')
  await alice.stream('diary')
  const noon = Date.parse('2026-03-29T10:00:00Z') / 1000
  for (let day = -1; day <= 1; day++)
    await alice.event({ streamIds: ['body'], type: 'mass/kg', content: 70 + day, time: noon + day * 86_400 })
  // The last second of a day with 23 hours, in Zurich.
  await alice.event({ content: 'late', time: Date.parse('2026-03-29T21:59:59Z') / 1000 })
  const holder = await alice.event({ type: 'series:mass/kg', content: undefined, time: noon })
  const points = Array.from({ length: 3000 }, (_, n) => [n / 10, n])
  await alice.do('hfs.add', { id: holder.id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  await service.server.settle()
  const flags = ['--dataDir', directory]
  const before = readdirSync(directory).toSorted()

  await t.test('writes to standard output what the service would return', async t => {
    const { code, errors, output } = await commandProcess([
      'export-data',
      'alice',
      '--format',
      'ndjson',
      ...flags
    ])
    t.same({ code, errors }, { code: 0, errors: '' })
    const { events } = await alice.do('events.get', { limit: 100, sortAscending: true })
    t.same(
      output
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as unknown),
      events
    )
  })

  await t.test("omits the service's own events, unless requested", async t => {
    const args = ['export-data', 'daisy', '--format', 'ndjson', ...flags]
    const account = {
      appId: 'an-app',
      username: 'daisy',
      password: 'a long secret',
      email: 'daisy@example.com'
    }
    t.equal((await service.http('POST', '/users', account)).status, 201)
    t.equal((await commandProcess(args)).output, '')
    const { output } = await commandProcess([...args, '--streams', ':_system:account'])
    t.match(output, 'daisy@example.com')
  })

  await t.test('writes a file with the events of one day', async t => {
    const file = join(directory, 'day.csv')
    const ended = await command([
      'export-data',
      'alice',
      '--from',
      '2026-03-29',
      '--to',
      '2026-03-29',
      '--zone',
      'Europe/Zurich',
      '--types',
      'mass/kg, note/txt',
      '--out',
      file,
      '--json',
      ...flags
    ])
    t.same(JSON.parse(ended.output), { username: 'alice', format: 'csv', file })
    const [, ...rows] = readFileSync(file, 'utf8').trim().split('\r\n')
    t.equal(rows.length, 2)
    t.match(rows[0], ',2026-03-29T12:00:00+02:00,')
    t.match(rows[1], ',2026-03-29T23:59:59+02:00,')
    const again = await command(['export-data', 'alice', '--out', file, ...flags])
    t.match(again, { code: 1, errors: /already exists/ })
  })

  await t.test('writes points on request, and events that start or end outside the range', async t => {
    const file = join(directory, 'points.csv')
    await command([
      'export-data',
      'alice',
      '--series',
      '--streams',
      'diary',
      '--to',
      '2026-03-29',
      '--out',
      file,
      ...flags
    ])
    t.equal(readFileSync(file, 'utf8').trim().split('\r\n').length, 1 + 2 + 3000)
  })

  await t.test('names an event that is damaged', async t => {
    const carol = await service.user('carol')
    await carol.stream('diary')
    const { id } = await carol.event()
    await carol.event()
    await service.server.settle()
    const file = new Layout(directory).userFile(service.server.services.accounts.find('carol')!.id)
    const db = new SQLite(file)
    db.prepare('UPDATE event SET body = substr(body, 1, 60) WHERE id = ?').run(id)
    db.close()
    for (const format of ['ndjson', 'csv', 'parquet']) {
      const { code, errors } = await commandProcess(['export-data', 'carol', '--format', format, ...flags])
      t.equal(code, 1)
      t.equal(errors.trim(), `${file}: event ${id} is not valid JSON`)
    }
    t.match(await carol.http('GET', '/events/export?format=csv'), {
      body: { error: { id: 'corrupted-data' } }
    })
  })

  await t.test('reports errors, and leaves nothing behind', async t => {
    for (const [args, message] of [
      [['nobody'], /No account nobody/],
      [[], /Expected arguments: <user>/],
      [['alice', '--format', 'xls'], /format must be equal to one of the allowed values/],
      [['alice', '--from', 'yesterday'], /not a valid date or time/],
      [['alice', '--zone', 'Nowhere'], /not a valid time zone/],
      [['alice', '--streams', 'nowhere'], /Unknown streams: nowhere/],
      [
        ['alice', '--format', 'gpx', '--out', join(directory, 'no', 'such', 'x.gpx'), '--streams', 'nowhere'],
        /Unknown streams/
      ]
    ] as const) {
      const { code, errors } = await command(['export-data', ...args, ...flags])
      t.equal(code, 1)
      t.match(errors, message)
    }
    t.notOk(existsSync(join(directory, 'no')))
    t.same(
      readdirSync(directory)
        .filter(name => !name.endsWith('.csv'))
        .toSorted(),
      before
    )
  })
})
