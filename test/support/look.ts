/** Looks at a page as it is: on a phone and on a desk, by day and by night; for barriers, and for what does not fit. */
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

/** What a page shows in place of a text that it has not loaded. */
const textKeys = new Set(messageFolders.flatMap(folder => listKeys(readMessages(folder, 'en'))))

/** Findings of these kinds keep somebody out. */
const serious = new Set(['serious', 'critical'])
/** What the night can change alone: all else is as it was by day. */
const ofColours = ['color-contrast', 'link-in-text-block']
/**
 * In the long form everything is looked for in each size, by day and by night; otherwise all barriers by day in one size, the
 * night's in the other one, which is which by turns.
 */
const isLong = process.env['COFFER_TEST_LONG'] === '1'
let turns = 0
/** Only files that run by themselves leave pictures: they take longer than what is looked for. */
const leavesPictures = !ends.all
/** Time within which a page is drawn in another size, on a busy machine, in milliseconds. */
const drawnMs = 30_000

/** Looks at the page in its present state. A file that runs by itself leaves a picture of each kind under this name. */
export async function look(t: Test, page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!
  t.same(await listMissingTexts(page), [], `all texts are there: ${name}`)
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source)
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

/** Returns the keys of texts that stand in the page as they are. */
async function listMissingTexts(page: Page): Promise<string[]> {
  const labels = `[...document.querySelectorAll('[aria-label]')].map(each => each.ariaLabel)`
  const texts = (await page.evaluate(`[document.body.innerText, ...${labels}].join('\\n')`)) as string
  return texts.split(/[^\w.-]+/).filter(word => word.includes('.') && textKeys.has(word))
}

/** What does not fit, and still does not once the page has had time to be drawn in its new size. */
async function lasting(page: Page): Promise<string[]> {
  const endMs = performance.now() + drawnMs
  for (;;) {
    const found = (await page.evaluate(misfits)) as string[]
    if (found.length === 0 || performance.now() > endMs) return found
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 20)))')
  }
}

/** What keeps somebody out of the page: all of it, or of these rules alone. */
async function barriers(page: Page, runOnly?: readonly string[]): Promise<string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly })
  // All else that it answers would take longer to send than to find.
  const violations = (await page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations)`
  )) as axe.Result[]
  return violations
    .filter(({ impact }) => serious.has(impact ?? ''))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Run in the page: what is wider than the window or cut off, and whether there is more than one primary action. */
const misfits = `(() => {
  const found = []
  const { scrollWidth } = document.documentElement
  if (scrollWidth > innerWidth) found.push('the page scrolls sideways: ' + scrollWidth)
  for (const each of document.querySelectorAll('body *')) {
    // Rows of chips, and regions that are reached by keys, scroll by themselves.
    if (each.closest('.unseen, noscript, svg, .chips, [role=region][tabindex="0"]')) continue
    const { left, right } = each.getBoundingClientRect()
    if (left < 0 || right > innerWidth + 0.5) found.push('sticks out: ' + each.outerHTML.slice(0, 80))
    const { overflowX, textOverflow } = getComputedStyle(each)
    if (each.tagName !== 'INPUT' && textOverflow !== 'ellipsis' && overflowX !== 'visible' && each.scrollWidth > each.clientWidth + 1)
      found.push('is clipped: ' + each.outerHTML.slice(0, 80))
  }
  // Behind a dialog nothing can be chosen.
  const top = document.querySelector('dialog[open]') ?? document
  if (top.querySelectorAll('.primary').length > 1) found.push('more than one primary action')
  return found
})()`
