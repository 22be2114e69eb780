/** README is correct: its tour and client work, its size is limited, and the generated pages of the documentation are current. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { formatSettingsPage } from '../../core/settings/list.js'
import { packageDirectory } from '../../core/version.js'
import { formatMeasuresPage } from '../../scripts/dev/measures-page.js'
import { examplesOf, runExamples } from '../support/snippets.js'

const largestReadme = 8 * 1024

/** Returns text without the spaces that align tables. */
function cells(page: string): string[] {
  return page
    .split('\n')
    .filter(line => line !== '' && !/^\|[ |-]+\|$/.test(line))
    .map(line => line.replaceAll(/\s+/g, ' '))
}

t.test('README', async t => {
  t.test('has a tour and a client that work as described', async t => {
    const ran = await runExamples(t, examplesOf('README.md'))
    const answers = ran.flatMap(example => example.answers)
    t.match(answers, [
      { username: 'daisy', apiEndpoint: String },
      { type: 'personal', user: { username: 'daisy' } },
      { stream: { id: 'health' } },
      { stream: { id: 'weight', parentId: 'health' } },
      { streams: [{ id: ':_audit:' }, { id: 'health', children: [{ id: 'weight' }] }] },
      { event: { content: 61.5 } },
      { event: { content: 'Slept well' } },
      { events: [{ content: 'Slept well' }, { content: 61.5 }] },
      { events: [{ content: 61.5 }] },
      { results: [{ event: { content: 61.2 } }, { events: [{ content: 61.2 }] }] },
      { events: [{ content: 61.2 }, { content: 61.5 }] },
      { error: { id: 'forbidden' } },
      [60.9, 61.2, 61.5],
      [60.9, 61.2, 61.5]
    ])
    t.equal(answers[8].events.length, 1)
    t.equal(answers[10].events.length, 2)
    for (const { announced, source, statuses } of ran) t.same(statuses, announced, source)
  })

  t.test('is short', async t => {
    t.ok(statSync(join(packageDirectory, 'README.md')).size <= largestReadme, `${largestReadme} bytes`)
  })
})

t.test('docs/api/measures.md', async t => {
  t.test('lists the current measures (npm run document)', async t => {
    const page = readFileSync(join(packageDirectory, 'docs', 'api', 'measures.md'), 'utf8')
    t.same(cells(page.slice(page.indexOf('<!-- measures'))).slice(1), cells(formatMeasuresPage()))
  })
})

t.test('docs/settings.md', async t => {
  t.test('lists the current settings (npm run document)', async t => {
    const page = readFileSync(join(packageDirectory, 'docs', 'settings.md'), 'utf8')
    t.same(cells(page.slice(page.indexOf('<!-- settings'))).slice(1), cells(formatSettingsPage()))
  })
})

t.test('the documentation', async t => {
  t.test('names commands that exist', async t => {
    const { scripts } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'))
    const docs = readdirSync(join(packageDirectory, 'docs'), { recursive: true, encoding: 'utf8' })
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      ...docs.filter(name => name.endsWith('.md')).map(name => join('docs', name))
    ]
    const named = pages.flatMap(page =>
      Array.from(
        readFileSync(join(packageDirectory, page), 'utf8').matchAll(/npm run ([a-z:]+)/g),
        ([, name]) => name!
      )
    )
    for (const name of new Set(named)) t.ok(scripts[name], `npm run ${name}`)
  })
})

t.test('test/README.md', async t => {
  const lines = readFileSync(join(packageDirectory, 'test', 'README.md'), 'utf8').split('\n')

  t.test('names existing tests for every risk', async t => {
    const rows = lines.filter(line => /^\| \d+ /.test(line))
    t.same(
      rows.map(row => Number(row.split('|')[1])),
      Array.from({ length: 46 }, (_value, index) => index + 1)
    )
    for (const row of rows) {
      const named = Array.from(row.split('|')[3]!.matchAll(/`([^`]+)`/g), ([, name]) => name!)
      t.ok(named.length > 0, row)
      for (const name of named) t.ok(existsSync(join(packageDirectory, 'test', `${name}.test.ts`)), name)
    }
  })

  t.test('names existing folders', async t => {
    const named = lines.flatMap(line => /^\| `(\w+)` /.exec(line)?.[1] ?? [])
    const modules = [
      'cluster',
      'core',
      'imports',
      'schemas',
      'scripts',
      'server',
      'storage',
      'transports',
      'web'
    ]
    const folders = readdirSync(join(packageDirectory, 'test'), { withFileTypes: true }).filter(entry =>
      entry.isDirectory()
    )
    t.same(Array.from(new Set([...named, ...modules])).toSorted(), folders.map(({ name }) => name).toSorted())
  })
})
