/** An account's export as a folder that people can read. (docs/api/exports.md#a-folder-to-read) */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FreePaths, toSafeFileName } from '../../../core/exports/file-names.js'
import { folderTexts } from '../../../core/exports/folder-texts.js'
import { unzipped, type Files } from '../../support/archives.js'
import { coffer, type Client } from '../../support/coffer.js'

t.setTimeout(300_000)

/** A Saturday noon in Zurich. */
const noon = Date.UTC(2026, 4, 2, 10) / 1000

/** Downloads the folder and unpacks it. */
async function folderOf(t: Test, user: Client, query = ''): Promise<Files> {
  const { url } = user.service.server
  const response = await fetch(`${url}/${user.username}/account/export?form=folder${query}`, {
    headers: { authorization: user.token }
  })
  t.equal(response.status, 200)
  t.equal(response.headers.get('content-type'), 'application/zip')
  const file = join(t.testdir(), 'folder.zip')
  writeFileSync(file, Buffer.from(await response.arrayBuffer()))
  return await unzipped(file)
}

function rowsOf(files: Files, name: string): string[] {
  const text = files.get(name)?.toString() ?? ''
  return text.replace('\ufeff', '').split('\r\n').filter(Boolean)
}

/** Adds an event with files. */
async function attach(user: Client, names: readonly string[], type = 'text/plain'): Promise<void> {
  const { id } = await user.event({ type: 'file/attached', content: null, time: noon })
  for (const [at, name] of names.entries()) {
    const form = new FormData()
    form.append('file', new Blob([`${at} ${name}`], { type }), name)
    const { status } = await user.http('POST', `/events/${id}`, form)
    if (status !== 200) throw new Error(`refused: ${name}`)
  }
}

t.test('has a table for each measure and for each other kind of data', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  await alice.do('streams.create', { id: 'scale', name: 'Scale', parentId: 'diary' })
  await alice.do('streams.create', {
    id: 'lean',
    name: 'Lean',
    clientData: { 'coffer:measure': 'lean-body-mass' }
  })
  const add = (streamIds: string[], type: string, content: unknown, description?: string): Promise<unknown> =>
    alice.event({ streamIds, type, content, time: noon, ...(description && { description }) })
  await add(['scale'], 'mass/kg', 70.5, '=cmd|calc')
  await add(['diary'], 'mass/lb', 155)
  await add(['lean'], 'mass/kg', 60)
  await add(['diary'], 'note/txt', '=SUM(A1)')
  await add(['diary'], 'count/generic', 7)
  const { id } = await alice.event({
    streamIds: ['scale'],
    type: 'series:mass/kg',
    content: null,
    time: noon + 60
  })
  await alice.do('hfs.add', {
    id,
    format: 'flatJSON',
    fields: ['deltaTime', 'value'],
    points: [
      [0, 71],
      [1, 72]
    ]
  })
  const trashed = await alice.event({ streamIds: ['diary'], type: 'mass/kg', content: 99, time: noon })
  await alice.do('events.delete', { id: trashed.id })

  const files = await folderOf(t, alice, '&zone=Europe/Zurich&language=de')
  const names = [...files.keys()]
  t.match(names, ['README.txt', 'Messgrößen/Gewicht.csv', 'Messgrößen/Fettfreie Masse.csv'].slice(0, 2))
  t.match(files.get('README.txt')!.toString(), /Europe\/Zurich/)
  const weights = rowsOf(files, 'Messgrößen/Gewicht.csv')
  t.match(weights[0], /^id,time,unixTime,duration,streamId,stream,type,field,value,unit/)
  t.equal(weights.filter(row => row.startsWith('id,time')).length, 1, 'one header')
  t.equal(weights.length, 6, 'two events, a series and its two points')
  t.match(
    weights.join('\n'),
    /2026-05-02T12:00:00\+02:00,.*,diary \/ Scale,mass\/kg,value,70.5,kg,,'=cmd\|calc/
  )
  t.match(weights.join('\n'), /,mass\/lb,value,155,\[lb_av\]/)
  t.match(weights.join('\n'), /2026-05-02T12:01:01\+02:00,.*,72,kg/)
  t.notMatch(weights.join('\n'), /,99,/, 'nothing from the trash')
  const lean = names.find(
    name => name.startsWith('Messgrößen/') && rowsOf(files, name).join().includes(',60,')
  )
  t.ok(lean, 'marked streams have a table of their measure')
  const others = names.filter(name => name.startsWith('Weitere Daten/'))
  const rest = others.map(name => rowsOf(files, name).join('\n')).join('\n')
  t.match(rest, /count\/generic,value,7/)
  const notes = names.find(name => rowsOf(files, name).join().includes("'=SUM(A1)"))
  t.ok(notes, 'notes are there, and no formula')
})

t.test('has files under their own names and dates, whatever these are', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const odd = ['../../x', 'CON', 'con.txt', 'a/b\\c.txt', `${'x'.repeat(300)}.txt`, 'ünï 🙂.txt']
  await attach(alice, odd)
  await attach(alice, ['beach.jpg', 'beach.jpg', 'BEACH.JPG'], 'image/jpeg')
  const files = await folderOf(t, alice, '&zone=Europe/Zurich')
  const names = [...files.keys()]
  const photos = names.filter(name => name.startsWith('photos/'))
  t.same(photos, [
    'photos/2026-05/2026-05-02 12.00 beach.jpg',
    'photos/2026-05/2026-05-02 12.00 beach (2).jpg',
    'photos/2026-05/2026-05-02 12.00 BEACH (3).JPG'
  ])
  t.equal(files.get(photos[0]!)!.toString(), '0 beach.jpg')
  t.equal(files.get(photos[2]!)!.toString(), '2 BEACH.JPG')
  const others = names.filter(name => name.startsWith('files/'))
  t.equal(others.length, odd.length, others.join('\n'))
  t.ok(others.includes('files/2026-05/2026-05-02 12.00 ünï 🙂.txt'))
  for (const name of names) {
    const parts = name.split('/')
    t.notOk(
      parts.some(part => /^\.*$|[\\:*?"<>|]/.test(part)),
      name
    )
    t.ok(
      parts.every(part => Buffer.byteLength(part) <= 255),
      `short enough: ${name.slice(0, 40)}`
    )
  }
  t.equal(new Set(names.map(name => name.toLowerCase())).size, names.length)
})

t.test('is for the owner, with a known zone and language', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const app = await alice.grant('manage', '*')
  for (const [user, query, error] of [
    [app, 'form=folder', 'forbidden'],
    [alice, 'form=folder&zone=Nowhere', 'invalid-parameters-format'],
    [alice, 'form=folder&language=xx', 'invalid-parameters-format'],
    [alice, 'form=heap', 'invalid-parameters-format'],
    [alice, 'zone=Europe/Zurich', 'invalid-parameters-format']
  ] as const) {
    const { body } = await user.http('GET', `/account/export?${query}`)
    t.equal(body.error?.id, error, query)
  }
  const files = await folderOf(t, alice, '&language=fr')
  t.same([...files.keys()], ['README.txt'], 'an empty account has nothing else')
  t.match(files.get('README.txt')!.toString(), folderTexts.fr.photos)
})

t.test('names are safe on every system', async t => {
  for (const [name, safe] of [
    ['../../x', 'x'],
    ['..', 'file'],
    ['', 'file'],
    ['CON', '_CON'],
    ['nul.tar.gz', '_nul.tar.gz'],
    ['COM1.csv', '_COM1.csv'],
    ['C:\\a.txt', 'C a.txt'],
    ['a\u202egpj.exe', 'a gpj.exe'],
    ['x\0y\n', 'x y'],
    ['trailing. . ', 'trailing'],
    ['\ud800.txt', '\ufffd.txt'],
    ['e\u0301', 'é']
  ] as const)
    t.equal(toSafeFileName(name), safe, JSON.stringify(name))
  for (const long of ['x'.repeat(300), '🙂'.repeat(300), `${'é'.repeat(300)}.jpeg`]) {
    const safe = toSafeFileName(long)
    t.ok(Buffer.byteLength(safe) <= 200 && safe.isWellFormed(), safe.slice(-8))
  }
  t.equal(toSafeFileName(`${'é'.repeat(300)}.jpeg`).slice(-5), '.jpeg')
  const paths = new FreePaths()
  const taken = Array.from({ length: 2000 }, () => paths.take('a/', 'x.txt'))
  t.equal(new Set(taken).size, 2000)
  t.equal(paths.take('a/', 'X.TXT'), 'a/X (2001).TXT')
  t.equal(paths.take('b/', 'x.txt'), 'b/x.txt')
})
