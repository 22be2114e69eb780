/** Links between documentation pages lead to existing pages and headings. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { drawGuides } from '../../scripts/dev/guides/guides.js'
import { dialects } from '../../transports/receive/dialects.js'
import { pages, readSources, sourceFolders } from '../support/sources.js'

/** Removes code blocks from a page, which may contain what looks like a link or a heading. */
function textOf(page: string): string {
  return readFileSync(join(packageDirectory, page), 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')
}

/** Returns the anchors of a page's headings, as GitHub generates them. */
function anchorsOf(page: string): string[] {
  const counts = new Map<string, number>()
  return Array.from(textOf(page).matchAll(/^#+ (.+)$/gm), ([, heading = '']) => {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const anchor = plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

/** Returns the targets of a page's links, except links to other sites. */
function targetsOf(page: string): string[] {
  const prose = textOf(page).replaceAll(/`[^`\n]*`/g, '')
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target).filter(
    target => !/^[a-z]+:/.test(target)
  )
}

t.test('links in the documentation', async t => {
  for (const page of pages) {
    const broken = targetsOf(page).filter(target => {
      const [path, anchor] = target.split('#') as [string, string?]
      const file = path === '' ? page : normalize(join(dirname(page), path))
      if (!existsSync(join(packageDirectory, file))) return true
      return anchor !== undefined && !(file.endsWith('.md') && anchorsOf(file).includes(anchor))
    })
    t.same(broken, [], page)
  }
})

t.test('files named by pages', async t => {
  // That page names tests, which another test checks.
  for (const page of pages.filter(name => !name.startsWith('test'))) {
    const named = Array.from(
      textOf(page).matchAll(
        /`((?:client|core|storage|transports|server|schemas|scripts|web|test)\/[\w./-]+)`/g
      )
    )
    const missing = named.map(([, path]) => path!).filter(path => !existsSync(join(packageDirectory, path)))
    t.same(missing, [], `${page} names files that exist`)
  }
})

t.test('tests named by pages', async t => {
  for (const page of pages) {
    const source = readFileSync(join(packageDirectory, page), 'utf8')
    for (const [, path] of source.matchAll(/dist\/(test\/[\w/.-]+\.test)\.js/g))
      t.ok(existsSync(join(packageDirectory, `${path}.ts`)), `${page}: ${path}`)
  }
})

t.test('pages cited by code', async t => {
  for (const folder of sourceFolders) {
    const missing = readSources(folder)
      .flatMap(({ file, text }) =>
        Array.from(text.matchAll(/\(?(docs\/[\w./-]+\.md)(?:#([\w-]+))?\)/g), cited => ({ cited, file }))
      )
      .filter(({ cited: [, page = '', anchor] }) => {
        if (!existsSync(join(packageDirectory, page))) return true
        return anchor !== undefined && !anchorsOf(page).includes(anchor)
      })
      .map(({ cited: [text], file }) => `${file}: ${text}`)
    t.same(missing, [], folder)
  }
})

t.test('names that comments of code mention', async t => {
  const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm
  const files = sourceFolders.flatMap(readSources).map(({ file, text }) => ({
    file,
    text,
    words: new Set(text.replaceAll(comments, '').match(/\w+/g))
  }))
  const known = new Set(files.flatMap(({ words }) => [...words]))
  const dead = files.flatMap(({ file, text, words }) => [
    ...Array.from(text.matchAll(/\{@link[\s*]+(?:[\w.]+\.)?#?(\w+)\}/g), ([link, name]) =>
      words.has(name!) ? '' : `${file}: ${link}`
    ),
    ...Array.from(
      (text.match(comments) ?? []).join('\n').matchAll(/`([a-zA-Z]+[a-z][A-Z]\w*)`/g),
      ([, name]) => (known.has(name!) ? '' : `${file}: \`${name}\``)
    )
  ])
  t.same(
    dead.filter(each => each !== ''),
    [],
    'links lead to names of the file, and camelCase names in backticks exist'
  )
})

t.test('docs/architecture.md', async t => {
  t.test('lists the modules of core in order', async t => {
    const check = readFileSync(join(packageDirectory, 'scripts', 'dev', 'check-imports.ts'), 'utf8')
    const [, order = ''] = /const coreOrder = \w+\(([\s\S]*?)\n\)/.exec(check) ?? []
    const modules = order.split(/[\s'+]+/).filter(name => name !== '' && !name.endsWith('.ts'))
    const page = readFileSync(join(packageDirectory, 'docs', 'architecture.md'), 'utf8')
    const [, section = ''] = page.split('## Modules of core')
    const named = Array.from(section.split('\n## ')[0]!.matchAll(/^\| `([\w-]+)`/gm), ([, name]) => name)
    t.ok(modules.length > 10)
    t.same(named, modules)
  })
})

t.test('docs/cluster.md names messages of the log as the code writes them', async t => {
  const page = readFileSync(join(packageDirectory, 'docs', 'cluster.md'), 'utf8')
  const [, table = ''] = page.split(/^\| In the log.*$/m)
  const messages = Array.from(table.split('\n\n')[0]!.matchAll(/^\| `([^`]+)`/gm), ([, message]) => message!)
  const sources = ['cluster', 'server'].flatMap(folder =>
    readdirSync(join(packageDirectory, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => readFileSync(join(packageDirectory, folder, name), 'utf8'))
  )
  t.ok(messages.length > 3)
  for (const message of messages)
    t.ok(
      sources.some(source => source.includes(message)),
      message
    )
})

t.test('each dialect has a page with a drawing of its settings', async t => {
  const drawings = drawGuides()
  t.same([...drawings.keys()].toSorted(), [...dialects.keys()].toSorted())
  const index = readFileSync(join(packageDirectory, 'docs', 'connect.md'), 'utf8')
  for (const [id, drawing] of drawings) {
    t.ok(index.includes(`(connect/${id}.md)`), `${id} is listed`)
    const folder = join(packageDirectory, 'docs', 'connect')
    const page = readFileSync(join(folder, `${id}.md`), 'utf8')
    const headings = Array.from(page.matchAll(/^## (.+)$/gm), ([, heading]) => heading)
    t.same(headings.slice(0, 6), [
      'What you need',
      'Steps',
      'What arrives',
      'Check it',
      'If nothing arrives',
      'End it'
    ])
    t.match(
      page,
      new RegExp(`!\\[Drawing of [^\\]]{20,}\\]\\(images/${id}\\.svg\\)`),
      `${id} shows its drawing`
    )
    t.equal(readFileSync(join(folder, 'images', `${id}.svg`), 'utf8'), drawing, `${id} is as generated`)
    t.ok(drawing.length <= 6144, `${id} is small`)
    t.match(drawing, /prefers-color-scheme:dark/)
    t.notMatch(drawing, /href|<image|url\(/, 'it loads nothing')
  }
})
