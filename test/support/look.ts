/** Checks a page on a phone and a desktop, in light and dark mode, for accessibility problems and for overflow. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { pictures } from './browser.js'
import { ends } from './ends.js'
import { listKeys, messageFolders, readMessages } from './messages.js'

const sizes = [
  { name: 'phone', width: 360, height: 740 },
  { name: 'desk', width: 1280, height: 800 }
]
const schemes = ['light', 'dark'] as const

/** The minified library: the source that the library offers is twice as long, and each page parses it. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
/**
 * In the long form all checks run in each size, in light and dark mode; otherwise accessibility is checked fully in
 * light mode in one size, and for colours in dark mode in the other one, alternating.
 */
const isLong = process.env['COFFER_TEST_LONG'] === '1'
let turns = 0
/** Only files that run by themselves save screenshots: these take longer than the checks. */
const leavesPictures = !ends.all
/** Timeout for rendering a page in another size, on a busy machine, in milliseconds. */
const drawnMs = 30_000

/** Checks the page in its present state. A file that runs by itself saves screenshots of each kind under this name. */
export async function look(t: Test, page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!
  t.same(await listMissingTexts(page), [], `all texts are there: ${name}`)
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(`${axeSource}; ${oneOfEachLook}`)
  const turn = turns++
  for (const [at, { name: size, width, height }] of sizes.entries())
    for (const colorScheme of schemes) {
      const isTurn = (turn + at) % 2 === (colorScheme === 'light' ? 0 : 1)
      if (!isLong && !isTurn && colorScheme === 'dark') continue
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const where = `${name}, ${size}, ${colorScheme}`
      const isWhole = isLong || colorScheme === 'light'
      if (isLong || isTurn)
        t.same(await barriers(page, isWhole ? undefined : ofColours), [], `no barriers: ${where}`)
      if (isWhole) t.same(await lasting(page), [], `everything fits: ${where}`)
      if (leavesPictures)
        await page.screenshot({ path: join(pictures, `${name}-${size}-${colorScheme}.png`), fullPage: true })
    }
  await page.setViewportSize(before)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Returns the keys that the page shows in place of texts. */
async function listMissingTexts(page: Page): Promise<string[]> {
  const labels = `[...document.querySelectorAll('[aria-label]')].map(each => each.ariaLabel)`
  const texts = (await page.evaluate(`[document.body.innerText, ...${labels}].join('\\n')`)) as string
  return texts.split(/[^\w.-]+/).filter(word => word.includes('.') && textKeys.has(word))
}

/** Returns what overflows even after the page has had time to be rendered in its new size. */
async function lasting(page: Page): Promise<string[]> {
  const endMs = performance.now() + drawnMs
  for (;;) {
    const found = (await page.evaluate(misfits)) as string[]
    if (found.length === 0 || performance.now() > endMs) return found
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 20)))')
  }
}

/** Returns accessibility problems of the page: of all rules, or of these only. */
async function barriers(page: Page, runOnly?: readonly string[]): Promise<string[]> {
  const options = JSON.stringify({
    resultTypes: ['violations'],
    selectors: false,
    rules: lesserRules,
    runOnly
  })
  // The complete result would take longer to transfer than to compute.
  const violations = (await page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations)`
  )) as axe.Result[]
  return violations
    .filter(({ impact }) => serious.has(impact ?? ''))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/**
 * Run in the page: measures the contrast of one of the elements that look alike, because this takes most of the time. These have the
 * same attributes and states that styles refer to, and follow elements that do, all the way up to the page.
 */
const oneOfEachLook = `(() => {
  const rule = axe._audit.rules.find(({ id }) => id === 'color-contrast')
  const matches = rule.matches
  const unstyled = /^(?:id|for|name|href|src|alt|title|value|datetime|aria-(?:label|labelledby|describedby|controls|rowindex))$/
  const state = each => ['checked', 'disabled', 'focus', 'invalid'].filter(name => each.matches(':' + name))
  const own = each =>
    each.tagName +
    [...each.attributes].filter(({ name }) => !unstyled.test(name)).map(({ name, value }) => name + '=' + value) +
    state(each)
  let looks, seen
  const lookOf = each => {
    if (!each) return ''
    const known = looks.get(each)
    if (known !== undefined) return known
    const { nextElementSibling: next, parentElement: parent, previousElementSibling: previous } = each
    const look = [lookOf(parent), previous && own(previous), own(each), next === null].join('/')
    looks.set(each, look)
    return look
  }
  rule.matches = (each, ...rest) => {
    const look = lookOf(each)
    if (seen.has(look) || !matches(each, ...rest)) return false
    seen.add(look)
    return true
  }
  const { run } = axe
  axe.run = (...args) => {
    looks = new WeakMap()
    seen = new Set()
    return run(...args)
  }
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
