/** Texts of notes: links and simple Markdown, also in hostile texts. */
import t from 'tap'
import { desk, startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { assertTakesLessThan, stopwatch } from '../../support/probe.js'
import { seeded } from '../../support/random.js'
import { loadWeb } from '../../support/web-module.js'

type Span = string | { readonly kind: string; readonly text?: string; readonly spans?: readonly Span[] }
interface Block {
  readonly kind: string
  readonly text?: string
  readonly spans?: readonly Span[]
  readonly items?: readonly (readonly Span[])[]
  readonly blocks?: readonly Block[]
}

t.test('the text of a note', async t => {
  const { parseBlocks } = await loadWeb<{ parseBlocks(text: string): Block[] }>('app/parts/parse-markdown.ts')
  const spansOf = (text: string): readonly Span[] => parseBlocks(text)[0]!.spans!

  t.test('is divided into blocks', async t => {
    t.same(
      parseBlocks(
        '# Trip\n\nBy train\nto Bern\n- [x] map\n- [ ] boots\n\n3. one\n4) two\n> said Anna\n---\n```\n*raw*\n```'
      ),
      [
        { kind: 'heading', spans: ['Trip'] },
        { kind: 'paragraph', spans: ['By train', { kind: 'break' }, 'to Bern'] },
        {
          kind: 'list',
          items: [
            ['☑ ', 'map'],
            ['☐ ', 'boots']
          ]
        },
        { kind: 'list', start: 3, items: [['one'], ['two']] },
        { kind: 'quote', blocks: [{ kind: 'paragraph', spans: ['said Anna'] }] },
        { kind: 'rule' },
        { kind: 'code', text: '*raw*' }
      ]
    )
    t.same(parseBlocks(''), [])
    t.same(parseBlocks('```\nnever closed'), [{ kind: 'code', text: 'never closed' }])
  })

  t.test('has emphasis only where it was meant', async t => {
    t.same(spansOf('**bold _and_ more** *it* `a*b` ~~no~~'), [
      { kind: 'strong', spans: ['bold ', { kind: 'em', spans: ['and'] }, ' more'] },
      ' ',
      { kind: 'em', spans: ['it'] },
      ' ',
      { kind: 'code', text: 'a*b' },
      ' ',
      { kind: 'del', spans: ['no'] }
    ])
    for (const text of [
      '3 * 4 * 5',
      '2*3*4',
      'snake_case_name',
      '#1 in line',
      '-5 degrees',
      '1.5 kg',
      '* ',
      '**',
      '** a **'
    ])
      t.same(spansOf(text), [text.trim()], text)
  })

  t.test('links only to the web and to mail addresses, and shows where', async t => {
    t.same(spansOf('See https://example.org/a_(b)_c?d=1, or (https://example.com).'), [
      'See ',
      { kind: 'link', text: 'https://example.org/a_(b)_c?d=1', href: 'https://example.org/a_(b)_c?d=1' },
      ', or (',
      { kind: 'link', text: 'https://example.com', href: 'https://example.com/' },
      ').'
    ])
    t.same(spansOf('[the plan](https://example.org/plan)'), [
      { kind: 'link', text: 'the plan', href: 'https://example.org/plan' }
    ])
    for (const label of ['https://bank.example', 'www.bank.example', 'bank.example/login'])
      t.same(spansOf(`[${label}](https://evil.example/)`), [
        `[${label}](`,
        { kind: 'link', text: 'https://evil.example/', href: 'https://evil.example/' },
        ')'
      ])
    for (const text of [
      '[x](javascript:alert(1))',
      '[x](data:text/html,hello)',
      '[x](//evil.example)',
      '[x](https://[)',
      'javascript:alert(1)',
      'https://'
    ])
      t.same(spansOf(text), [text], text)
  })

  t.test('is kept whole, whatever it contains', async t => {
    const random = seeded(t)
    const parts = [
      '*',
      '**',
      '_',
      '`',
      '~~',
      '[',
      '](https://a.example)',
      'https://b.example',
      '>',
      '- ',
      '1. ',
      '\n',
      ' ',
      'word'
    ]
    for (const _ of Array(500)) {
      const text = Array.from({ length: random.below(30) }, () => random.pick(parts)).join('')
      const words = toText(parseBlocks(text)).split('word').length
      t.equal(words, text.split('word').length, JSON.stringify(text))
    }
  })

  t.test('takes time in proportion to its length', async t => {
    for (const part of [
      '**a ',
      '*a',
      '_a ',
      '`a` `',
      '[a',
      '[a](https://a',
      'https://a,,,,,',
      '> '.repeat(50),
      '~~a',
      '- [',
      '1. '
    ])
      await assertTakesLessThan(t, 400, () => {
        const took = stopwatch()
        parseBlocks(part.repeat(Math.ceil(200_000 / part.length)))
        return took()
      })
  })
})

t.test('a note shows its links and lists, and nothing of it becomes markup', async t => {
  const { daisy, enter, service } = await startApp(t)
  await daisy.stream('diary', null)
  const content = [
    '## Week in Bern',
    'With **Anna**: https://example.org/plan',
    '- boots',
    '- <img src=x onerror="window.pwned = 1">',
    '[tickets](javascript:alert(1))'
  ].join('\n')
  const event = await daisy.event({
    streamIds: ['diary'],
    type: 'note/txt',
    content,
    time: service.clock.now() - 60
  })
  const page = await enter(`/app/daisy/events/${event.id}`, desk)
  const note = page.locator('.what .rich')
  const link = note.getByRole('link')
  await link.first().waitFor()
  t.equal(await link.count(), 1)
  t.equal(await link.getAttribute('href'), 'https://example.org/plan')
  t.match(await link.getAttribute('rel'), /noopener noreferrer/)
  t.equal(await note.getByRole('listitem').count(), 2)
  t.equal(await note.locator('img').count(), 0)
  t.match(await note.innerText(), /<img src=x onerror=/)
  t.match(await note.innerText(), /\[tickets\]\(javascript:/)
  t.equal(await page.locator('details code').isVisible(), false, 'the digest is among the details')
  await look(t, page, 'app-event-note')
  await page.getByText('Details', { exact: true }).click()
  await page.locator('details code').getByText('EVENT:0:sha256').waitFor()
  await page.goto(page.url().replace(/events\/.*$/, 'timeline'))
  await page.locator('.moment-card').getByRole('link', { name: 'https://example.org/plan' }).waitFor()
  await leave(page)
})

/** Returns the text of blocks, without what divides them. */
function toText(blocks: readonly Block[]): string {
  const textOf = (spans: readonly Span[]): string =>
    spans.map(span => (typeof span === 'string' ? span : (span.text ?? textOf(span.spans ?? [])))).join('')
  return blocks
    .map(
      ({ blocks: inner = [], items = [], spans = [], text = '' }) =>
        text + textOf(spans) + items.map(textOf).join(' ') + toText(inner)
    )
    .join(' ')
}
