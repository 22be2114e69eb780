/** Tables tell which events are in the trash. */
import { parquetReadObjects } from 'hyparquet'
import t from 'tap'
import { coffer } from '../../support/coffer.js'

t.test('tables that may contain trashed events have a column that tells them', async t => {
  const { alice, server } = await coffer(t)
  await alice.stream('body')
  const add = async (type: string, content: unknown, time: number): Promise<string> =>
    (await alice.event({ streamIds: ['body'], type, content, time })).id
  await add('mass/kg', 70, 1)
  const pressure = await add('blood-pressure/mmhg-bpm', { systolic: 142, diastolic: 88 }, 2)
  const series = await add('series:mass/kg', undefined, 3)
  const points = [
    [0, 71],
    [1, 72]
  ]
  await alice.do('hfs.add', { id: series, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  await server.settle()
  for (const id of [pressure, series]) await alice.do('events.delete', { id })
  const download = async (query: string): Promise<Response> =>
    await fetch(`${server.url}/alice/events/export?sortAscending=true&${query}`, {
      headers: { authorization: alice.token }
    })
  /** Returns the last cell of each row. */
  const readLast = async (query: string): Promise<(string | undefined)[]> =>
    (await (await download(query)).text())
      .trim()
      .split('\r\n')
      .map(line => line.split(',').at(-1))
  const [one, two] = ['false', 'true']
  t.same(await readLast('format=csv&state=all&series=true'), ['trashed', one, two, two, two, two, two])
  t.same(await readLast('format=csv&state=trashed'), ['trashed', two, two, two])
  t.same(await readLast('format=csv'), ['otherStreams', ''])
  t.same(await readLast('format=csv-wide&state=all'), ['trashed', one, two, two])
  t.same(await readLast('format=csv-wide&state=all&columns[]=time&columns[]=id'), [
    'id',
    ...(await readLast('format=csv-wide&state=all&columns[]=id')).slice(1)
  ])
  t.same(await readLast('format=csv-wide&state=default'), ['attachments', ''])
  const readRows = async (query: string): Promise<Record<string, unknown>[]> =>
    await parquetReadObjects({ file: await (await download(`format=parquet&${query}`)).arrayBuffer() })
  t.same(
    (await readRows('state=all&series=true')).map(({ number, trashed }) => [number, trashed]),
    [
      [70, false],
      [142, true],
      [88, true],
      [null, true],
      [71, true],
      [72, true]
    ]
  )
  t.notOk('trashed' in (await readRows(''))[0]!)
})
