/** The operator's map: a file that is served in ranges, parsed by the app, and drawn below places and tracks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Page } from 'playwright-core'
import { coffer } from '../../support/coffer.js'
import { desk, startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { pmtiles, tilesOf, type Shape } from '../../support/tiles.js'
import { until } from '../../support/socket.js'
import { loadWeb } from '../../support/web-module.js'

type Reader = typeof import('../../../web/app/map/ground/archive.js') &
  typeof import('../../../web/app/map/ground/vector-tile.js')

const ring = (longitude: number, latitude: number, dx: number, dy: number): [number, number][] =>
  Array.from({ length: 40 }, (_, at) => {
    const angle = (at * Math.PI) / 20
    const wave = 1 + 0.12 * Math.sin(5 * angle)
    return [longitude + dx * wave * Math.cos(angle), latitude - dy * wave * Math.sin(angle)]
  })
/** A lake with a town, houses, roads and a border, in the layers of the Protomaps basemap. */
const shapes: readonly Shape[] = [
  { layer: 'earth', kind: 'area', places: ring(6.6, 46.5, 0.5, 0.3), properties: { kind: 'earth' } },
  { layer: 'landuse', kind: 'area', places: ring(6.55, 46.56, 0.07, 0.03), properties: { kind: 'forest' } },
  { layer: 'water', kind: 'area', places: ring(6.6, 46.47, 0.12, 0.035), properties: { kind: 'lake' } },
  {
    layer: 'water',
    kind: 'line',
    places: [
      [6.5, 46.6],
      [6.56, 46.55],
      [6.58, 46.5]
    ],
    properties: { kind: 'river' }
  },
  {
    layer: 'roads',
    kind: 'line',
    places: [
      [6.4, 46.5],
      [6.55, 46.53],
      [6.65, 46.525],
      [6.8, 46.53]
    ],
    properties: { kind: 'highway' }
  },
  {
    layer: 'roads',
    kind: 'line',
    places: [
      [6.6, 46.6],
      [6.62, 46.53],
      [6.63, 46.51]
    ],
    properties: { kind: 'major_road' }
  },
  ...[0, 1, 2, 3, 4].map((at): Shape => ({
    layer: 'roads',
    kind: 'line',
    places: [
      [6.5, 46.488 + at * 0.01],
      [6.7, 46.49 + at * 0.01]
    ],
    properties: { kind: 'minor_road' }
  })),
  {
    layer: 'buildings',
    kind: 'area',
    places: ring(6.57, 46.525, 0.01, 0.005),
    properties: { kind: 'building', height: 12 }
  },
  {
    layer: 'roads',
    kind: 'line',
    places: [
      [6.56, 46.5],
      [6.68, 46.505]
    ],
    properties: { kind: 'rail' }
  },
  {
    layer: 'boundaries',
    kind: 'line',
    places: [
      [6.4, 46.46],
      [6.6, 46.49],
      [6.8, 46.455]
    ],
    properties: { kind: 'country' }
  },
  {
    layer: 'places',
    kind: 'point',
    places: [[6.63, 46.52]],
    properties: { kind: 'locality', kind_detail: 'city', name: 'Seestadt', population_rank: 11 }
  },
  {
    layer: 'places',
    kind: 'point',
    places: [[6.5, 46.51]],
    properties: { kind: 'locality', kind_detail: 'village', name: 'Le Petit-Bourg-sur-Lac' }
  },
  {
    layer: 'unheard-of',
    kind: 'line',
    places: [
      [6.4, 46.4],
      [6.8, 46.6]
    ],
    properties: { isOdd: true }
  }
]
const attribution = '<a href="https://example.com">Example</a> &copy; mapmakers'

function mapFile(t: Test, bytes: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'map-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'map.pmtiles'), bytes)
  return join(folder, 'map.pmtiles')
}

t.test('the file is parsed as it was written', async t => {
  const { parseLayers: layersIn, openArchive } = await loadWeb<Reader>(
    'app/map/ground/archive.ts',
    'app/map/ground/vector-tile.ts'
  )
  const tiles = tilesOf(shapes, 12)
  t.ok(tiles.length > 30)
  for (const perLeaf of [Infinity, 7]) {
    const bytes = pmtiles(tiles, { attribution, perLeaf })
    const archive = await openArchive(
      async (start, length) => new Uint8Array(bytes.subarray(start, start + length))
    )
    t.equal(archive.attribution, 'Example © mapmakers')
    t.match(archive, { minZoom: 0, maxZoom: 12 })
    for (const { zoom, x, y, bytes: own } of tiles) {
      const read = await archive.readTile(zoom, x, y)
      t.ok(read && own.equals(read), `${zoom}/${x}/${y}`)
    }
    t.equal(await archive.readTile(12, 0, 0), undefined)
    t.equal(await archive.readTile(14, 8000, 5000), undefined)
  }
  const [tile] = tiles
  const [layer, ...others] = layersIn(tile!.bytes, new Set(['places']))
  t.same(others, [])
  t.match(layer, {
    name: 'places',
    extent: 4096,
    features: [
      { kind: 'point', properties: { name: 'Seestadt', kind_detail: 'city', population_rank: 11 } },
      { properties: { name: 'Le Petit-Bourg-sur-Lac' } }
    ]
  })
  const [odd] = layersIn(tile!.bytes, new Set(['unheard-of']))
  t.same(odd!.features[0]!.properties, { isOdd: true })
  t.equal(odd!.features[0]!.lines[0]!.length, 4)
  const [water] = layersIn(tile!.bytes, new Set(['water']))
  t.same(
    water!.features[0]!.lines[0]!.slice(0, 2),
    water!.features[0]!.lines[0]!.slice(-2),
    'areas are closed'
  )
  for (let length = 1; length < tile!.bytes.length; length += 13)
    try {
      layersIn(tile!.bytes.subarray(0, length), new Set(['water', 'roads', 'places']))
    } catch (error) {
      t.ok(error instanceof Error, `cut off after ${length} bytes`)
    }
  await t.rejects(
    openArchive(async () => new Uint8Array(10)),
    Error
  )
})

t.test('the service', async t => {
  const bytes = pmtiles(tilesOf(shapes, 8), { attribution })
  const service = await coffer(t, { app: { mapFile: mapFile(t, bytes) } })
  const own = { 'Coffer-App': '1' }
  const ask = async (headers: Record<string, string>): Promise<Response> =>
    await fetch(`${service.server.url}/app/map.pmtiles`, { headers })

  t.test('returns the requested ranges to its own pages', async t => {
    const piece = await ask({ ...own, Range: 'bytes=100-299' })
    t.equal(piece.status, 206)
    t.equal(piece.headers.get('content-range'), `bytes 100-299/${bytes.length}`)
    t.equal(piece.headers.get('cache-control'), 'no-store', 'places that were looked at stay nowhere')
    t.same(Buffer.from(await piece.arrayBuffer()), bytes.subarray(100, 300))
    const last = await ask({ ...own, Range: `bytes=${bytes.length - 5}-${bytes.length + 100_000_000}` })
    t.same(Buffer.from(await last.arrayBuffer()), bytes.subarray(-5))
    const { body } = await service.http('GET', '/access/facts.json')
    t.equal(body.hasMap, true)
  })

  t.test('refuses other origins, and invalid ranges', async t => {
    t.equal((await ask({ Range: 'bytes=0-99' })).status, 403)
    const foreign = { Origin: 'https://maps.example.com', 'Sec-Fetch-Site': 'cross-site' }
    t.equal((await ask({ ...own, ...foreign, Range: 'bytes=0-99' })).status, 403)
    for (const Range of ['', 'bytes=9-1', 'bytes=-5', 'bytes=0-1,5-6', 'lines=1-2'])
      t.equal((await ask({ ...own, Range })).status, 400, Range)
    const beyond = await ask({ ...own, Range: `bytes=${bytes.length}-${bytes.length + 5}` })
    t.equal(beyond.status, 416)
    t.equal(beyond.headers.get('content-range'), `bytes */${bytes.length}`)
  })

  t.test('reports an invalid file, and starts without one', async t => {
    for (const [path, message] of [
      [mapFile(t, Buffer.from('not a map at all')), /app\.mapFile: .* not a PMTiles file of version 3/],
      ['/nowhere/map.pmtiles', /app\.mapFile: .*file not found/]
    ] as const)
      await t.rejects(coffer(t, { app: { mapFile: path } }), { message })
    const other = await coffer(t)
    const { body, status } = await other.http('GET', '/access/facts.json')
    t.match({ body, status }, { body: { hasMap: false }, status: 200 })
  })
})

t.test('the page', async t => {
  const file = mapFile(t, pmtiles(tilesOf(shapes, 12), { attribution, perLeaf: 10 }))
  const { daisy, enter } = await startApp(t, { app: { mapFile: file } })
  await daisy.stream('places')
  for (const [latitude, longitude] of [
    [46.52, 6.63],
    [46.47, 6.55],
    [46.5, 6.68]
  ])
    await daisy.event({ streamIds: ['places'], type: 'position/wgs84', content: { latitude, longitude } })
  const page = await enter('/app/daisy/map', desk)
  const asked: { url: string; cookie: string | undefined }[] = []
  page.on('request', request => {
    if (request.url().includes('map.pmtiles'))
      asked.push({ url: request.url(), cookie: request.headers()['cookie'] })
  })
  await page.getByText('Example © mapmakers').waitFor()
  await untilDrawn(page)
  const seen = new Set<string>()
  const lookAround = async (): Promise<void> => {
    for (const what of onGround) if (!seen.has(what) && (await isSeen(page, what))) seen.add(what)
  }
  await lookAround()
  t.ok(asked.every(({ cookie }) => cookie === undefined))
  for (let index = 0; index < 3; index++) {
    await page.getByRole('button', { name: 'Zoom in' }).click()
    // Thin lines have their exact colour once they are a pixel wide.
    await lookAround()
    await page.getByRole('img', { name: /^Map:/ }).press('ArrowLeft')
  }
  // The last tiles may still be loading.
  await until(
    async () => {
      await lookAround()
      return seen.size === onGround.length
    },
    `all of the ground, beyond ${[...seen].join()}`
  )
  for (let index = 0; index < 6; index++) await page.getByRole('button', { name: 'Zoom out' }).click()
  await page.getByRole('button', { name: 'Fit to data' }).click()
  await untilDrawn(page)
  t.ok(asked.length > 0, 'tiles are read as they come into sight')
  await look(t, page, 'app-ground')
  await leave(page)
})

/** The layers that are drawn, by the names of their colours. */
const onGround = ['land', 'green', 'water', 'building', 'road', 'highway', 'rail', 'border', 'label']

/** Returns whether a pixel has the colour of a layer. */
async function isSeen(page: Page, what: string): Promise<boolean> {
  return await page.evaluate(`(() => {
    const canvas = document.querySelector('canvas')
    const brush = document.createElement('canvas').getContext('2d')
    brush.fillStyle = getComputedStyle(canvas).getPropertyValue('--map-${what}').trim()
    // Six hexadecimal digits, whatever the notation.
    const colour = brush.fillStyle
    const parts = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16))
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    for (let at = 0; at < data.length; at += 4)
      if (parts.every((part, index) => data[at + index] === part)) return true
    return false
  })()`)
}

/** Waits until there is water, and a label on the land, in the middle of the map. */
async function untilDrawn(page: Page): Promise<void> {
  const isDrawn = async (): Promise<boolean> =>
    await page.evaluate(`(() => {
    const canvas = document.querySelector('canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    let water = 0
    for (let at = 0; at < data.length; at += 4)
      if (data[at] === 0xc3 && data[at + 1] === 0xdd && data[at + 2] === 0xe0) water++
    return water > 20_000
  })()`)
  await until(isDrawn, 'the drawing')
}
