/** Checks a page on a phone and a desktop, in light and dark mode, for accessibility problems and for overflow. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { leavesPictures, pictures } from './browser.js'
import { listKeys, messageFolders, readMessages } from './messages.js'

const sizes = [
  { name: 'phone', width: 360, height: 740 },
  { name: 'desk', width: 1280, height: 800 }
]

/**
 * The minified library: the source that the library offers is twice as long, and each page parses it. A single character beyond Latin-1
 * would double its size again.
 */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8').replace(
  /[^\0-\x7f]/g,
  each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`
)

/** Keys that a page shows in place of missing texts. */
const textKeys = new Set(messageFolders.flatMap(folder => listKeys(readMessages(folder, 'en'))))

/** Levels of findings that make a page inaccessible. */
const serious = new Set(['serious', 'critical'])
/** Rules with lesser findings, which are not run: they take half of the time. The library's types lack its rules. */
const { _audit: audit } = axe as unknown as { _audit: { rules: { id: string; impact?: string }[] } }
const lesserRules = Object.fromEntries(
  audit.rules
    .filter(({ impact }) => impact !== undefined && !serious.has(impact))
    .map(({ id }) => [id, { enabled: false }])
)
/** The rules that dark mode can affect: all others have the same result as in light mode. */
const ofColours = ['color-contrast', 'link-in-text-block']
const isLong = process.env['COFFER_TEST_LONG'] === '1'
/**
 * In the long form, and in a file that runs by itself, everything is checked in each size, in light and dark mode. Otherwise a look
 * checks texts and layout in one size; one look in four also checks accessibility, another one contrast in dark mode: in rotation.
 */
const isWhole = isLong || leavesPictures
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
/** Looks of elements whose contrast this process has measured, by size and colour scheme; the long form measures them on each page. */
const measuredLooks = new Map<string, Set<number>>()
/** Timeout for rendering a page in another size, on a busy machine, in milliseconds. */
const drawnMs = 30_000

/** What a look checks: layout, and accessibility by all rules, by those for colours, or not at all. */
interface Check {
  readonly size: (typeof sizes)[number]
  readonly colorScheme: 'light' | 'dark'
  readonly rules: 'all' | 'colours' | 'none'
}

/** Returns what a look checks, by its name. */
function listChecks(name: string): readonly Check[] {
  if (isWhole)
    return sizes.flatMap(size => [
      { size, colorScheme: 'light', rules: 'all' },
      { size, colorScheme: 'dark', rules: 'colours' }
    ])
  const turn = Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 997, 0) + seed
  const rules = (['all', 'none', 'colours', 'none'] as const)[turn % 4]!
  return [
    { size: sizes[Math.floor(turn / 4) % 2]!, colorScheme: rules === 'colours' ? 'dark' : 'light', rules }
  ]
}

/** Checks the page in its present state. A file that runs by itself saves screenshots of each kind under this name. */
export async function look(t: Test, page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!
  // Each request to the page takes a few milliseconds of CPU time in four processes: as few as possible.
  let { hasAxe, isDark, isMoving, texts } = (await page.evaluate(survey)) as Survey
  t.same(listMissingTexts(texts), [], `all texts are there: ${name}`)
  for (const { size, colorScheme, rules } of listChecks(name)) {
    const { width, height } = size
    if (page.viewportSize()!.width !== width || page.viewportSize()!.height !== height)
      await page.setViewportSize({ width, height })
    if (isMoving || isDark !== (colorScheme === 'dark'))
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    isMoving = false
    isDark = colorScheme === 'dark'
    const where = `${name}, ${size.name}, ${colorScheme}${isWhole ? '' : `, COFFER_TEST_SEED=${seed}`}`
    t.same(await listMisfits(page), [], `everything fits: ${where}`)
    if (rules !== 'none') {
      if (!hasAxe) await page.evaluate(`${axeSource}; ${oneOfEachLook}`)
      hasAxe = true
      const measured = getMeasuredLooks(size.name, colorScheme)
      t.same(
        await barriers(page, measured, rules === 'colours' ? ofColours : undefined),
        [],
        `no barriers: ${where}`
      )
    }
    if (leavesPictures)
      await page.screenshot({
        path: join(pictures, `${name}-${size.name}-${colorScheme}.png`),
        fullPage: true
      })
  }
  await page.setViewportSize(before)
  if (isDark) await page.emulateMedia({ colorScheme: 'light' })
}

/** Returns the looks measured in a size and colour scheme, to which more can be added. */
function getMeasuredLooks(size: string, colorScheme: string): Set<number> {
  const key = `${size} ${colorScheme}`
  const measured = measuredLooks.get(key) ?? new Set()
  measuredLooks.set(key, measured)
  return measured
}

/** What a page says of itself. */
interface Survey {
  readonly hasAxe: boolean
  readonly isDark: boolean
  /** Whether animations run. */
  readonly isMoving: boolean
  /** All texts and labels. */
  readonly texts: string
}
/** Run in the page: returns a {@link Survey}. */
const survey = `({
  hasAxe: 'axe' in window,
  isDark: matchMedia('(prefers-color-scheme: dark)').matches,
  isMoving: !matchMedia('(prefers-reduced-motion: reduce)').matches,
  texts: [document.body.innerText, ...[...document.querySelectorAll('[aria-label]')].map(each => each.ariaLabel)].join('\\n')
})`

/** Returns the keys that texts contain in place of messages. */
function listMissingTexts(texts: string): string[] {
  return texts.split(/[^\w.-]+/).filter(word => word.includes('.') && textKeys.has(word))
}

/** Returns what overflows even after the page has had time to be rendered in its new size. */
async function listMisfits(page: Page): Promise<readonly string[]> {
  const endMs = performance.now() + drawnMs
  for (;;) {
    const found = (await page.evaluate(misfits)) as string[]
    if (found.length === 0 || performance.now() > endMs) return found
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 20)))')
  }
}

/**
 * Returns accessibility problems of the page: of all rules, or of these only. `measured`: looks of elements whose contrast is known, to
 * which those of the page are added.
 */
async function barriers(page: Page, measured: Set<number>, runOnly?: readonly string[]): Promise<string[]> {
  const options = JSON.stringify({
    resultTypes: ['violations'],
    selectors: false,
    rules: lesserRules,
    runOnly
  })
  // The complete result would take longer to transfer than to compute.
  const { looks, violations } = (await page.evaluate(
    `(measured(${JSON.stringify([...measured])}), axe.run(${options}).then(({ violations }) => ({ looks: looks(), violations })))`
  )) as { looks: number[]; violations: axe.Result[] }
  if (!isLong) for (const each of looks) measured.add(each)
  return violations
    .filter(({ impact }) => serious.has(impact ?? ''))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/**
 * Run in the page: `measured(looks)` makes axe measure the contrast of one of the elements that look alike, and of none whose look is
 * in the list, because this takes most of the time; `looks()` returns what has been measured. Elements look alike that have the same
 * attributes and states that styles refer to, and follow elements that do, all the way up to a page with the same styles.
 */
const oneOfEachLook = `(() => {
  const rule = axe._audit.rules.find(({ id }) => id === 'color-contrast')
  const { matches } = rule
  const unstyled = /^(?:id|for|name|href|src|alt|title|value|datetime|aria-(?:label|labelledby|describedby|controls|rowindex))$/
  const states = [':checked', ':disabled', ':focus', ':invalid']
  const hasText = each => [...each.childNodes].some(({ data, nodeType }) => nodeType === 3 && data.trim() !== '')
  const own = each =>
    each.tagName +
    hasText(each) +
    // A label looks like its control.
    each.control?.matches(':disabled') +
    [...each.attributes].filter(({ name }) => !unstyled.test(name)).map(({ name, value }) => name + '=' + value) +
    states.filter(state => each.matches(state))
  const digest = text => {
    let [a, b] = [0xdeadbeef, 0x41c6ce57]
    for (let at = 0; at < text.length; at++) {
      a = Math.imul(a ^ text.charCodeAt(at), 2654435761)
      b = Math.imul(b ^ text.charCodeAt(at), 1597334677)
    }
    return (a >>> 0) * 2 ** 21 + (b >>> 11)
  }
  let known, looks
  const lookOf = each => {
    if (!each) return [...document.styleSheets].map(({ href }) => href && new URL(href).pathname).toSorted().join()
    const before = known.get(each)
    if (before !== undefined) return before
    const { nextElementSibling: next, parentElement: parent, previousElementSibling: previous } = each
    const look = digest([lookOf(parent), previous && own(previous), own(each), next === null].join('/'))
    known.set(each, look)
    return look
  }
  const isRead = each => hasText(each) || /^(?:INPUT|SELECT|TEXTAREA)$/.test(each.tagName)
  rule.matches = (each, ...rest) => {
    if (!isRead(each)) return false
    const look = lookOf(each)
    if (looks.has(look)) return false
    const isMeasured = matches(each, ...rest)
    // Negative: not to be measured, such as a disabled button.
    looks.add(isMeasured ? look : -1 - look)
    return isMeasured
  }
  globalThis.measured = list => {
    known = new WeakMap()
    looks = new Set(list)
  }
  globalThis.looks = () => [...looks]
})()`

/** Run in the page: finds what is wider than the window or cut off, and more than one primary action. */
const misfits = `(() => {
  const found = []
  const { scrollWidth } = document.documentElement
  if (scrollWidth > innerWidth) found.push('the page scrolls sideways: ' + scrollWidth)
  for (const each of document.querySelectorAll('body *')) {
    // Rows of chips, and regions that can be focused, scroll by themselves.
    if (each.closest('.unseen, noscript, svg, .chips, [role=region][tabindex="0"]')) continue
    const { left, right } = each.getBoundingClientRect()
    if (left < 0 || right > innerWidth + 0.5) found.push('sticks out: ' + each.outerHTML.slice(0, 80))
    const { overflowX, textOverflow } = getComputedStyle(each)
    if (each.tagName !== 'INPUT' && textOverflow !== 'ellipsis' && overflowX !== 'visible' && each.scrollWidth > each.clientWidth + 1)
      found.push('is clipped: ' + each.outerHTML.slice(0, 80))
  }
  // Behind a dialog nothing can be clicked.
  const top = document.querySelector('dialog[open]') ?? document
  if (top.querySelectorAll('.primary').length > 1) found.push('more than one primary action')
  return found
})()`
