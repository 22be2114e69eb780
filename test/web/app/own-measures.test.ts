/** The page of the user's own measures, in a browser. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { phone, startApp, untilStored } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import type { Answer } from '../../support/coffer.js'
import { look } from '../../support/look.js'

const create = async (page: Page, name: string, form: string, fill?: () => Promise<void>): Promise<void> => {
  await page.getByRole('button', { name: 'New measure' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('What you record').selectOption({ label: form })
  await fill?.()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
}

t.test('measures of one’s own', async t => {
  const { daisy, enter } = await startApp(t)
  const foreign = [{ id: 'broken' }, 7, 'text']
  await daisy.do('profile.update', { id: 'private', update: { 'coffer:measures': foreign } })
  const readProfile = async (): Promise<Answer> => (await daisy.do('profile.get', { id: 'private' })).profile
  const readOwn = async (): Promise<Answer[]> =>
    (await readProfile())['coffer:measures'].slice(foreign.length)
  await t.test('are made in four forms', async t => {
    const page = await enter('/app/daisy/measures')
    t.equal(await page.title(), 'Your own measures')
    await page.getByText('You have none yet.').waitFor()
    await create(page, 'Rex', 'A number', async () => {
      await page.getByLabel('Unit').selectOption({ label: 'kilograms (kg)' })
      await page.getByRole('radio', { name: 'Icon 8' }).check()
    })
    await create(page, 'Pages', 'A number that adds up over the day', async () => {
      await page.getByLabel('Buttons on Today').fill('10; 2.5; 10')
      await look(t, page, 'app-own-measure-form')
    })
    await create(page, 'Back <b>pain</b>', 'A value on a scale', async () => {
      await page.getByLabel('To', { exact: true }).fill('0')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('This value is too small.').waitFor()
      await page.getByLabel('To', { exact: true }).fill('3')
    })
    await create(page, 'Yoga', 'Yes or no')
    await page.getByText('Scale from 1 to 3').waitFor()
    await look(t, page, 'app-own-measures')
    const [rex, pages, pain, yoga] = await readOwn()
    t.match(rex, { name: 'Rex', icon: 'dog', kind: 'level', types: ['mass/kg'] })
    t.notOk('quickValues' in rex)
    t.match(pages, { kind: 'sum', types: ['count/generic'], quickValues: [10, 2.5] })
    t.match(pain, { name: 'Back <b>pain</b>', kind: 'level', quickValues: [1, 2, 3] })
    t.same(
      pain.choices.map(({ value }: Answer) => value),
      [1, 2, 3]
    )
    t.match(yoga, { kind: 'category', types: ['boolean/bool'], quickValues: [true, false] })
    t.same((await readProfile())['coffer:measures'].slice(0, 3), foreign, 'entries of others are kept')
    const { measures } = await daisy.do('measures.get', { ids: [rex, pages, pain, yoga].map(({ id }) => id) })
    t.equal(measures.length, 4, 'the service accepts all of them')
    await leave(page)
  })

  await t.test('are recorded on Today, by their buttons', async t => {
    const page = await enter('/app/daisy/today', phone)
    const add = async (name: string, label: string, shown: string): Promise<void> => {
      const card = page.getByRole('article', { name, exact: true })
      await card.getByRole('button', { name: label }).click()
      await card.locator('.value', { hasText: shown }).waitFor()
    }
    await add('Pages', 'Add 10 to Pages', '10')
    await add('Pages', 'Add 2.5 to Pages', '12.5')
    await add('Back <b>pain</b>', 'Add 2 to', '2')
    await add('Yoga', 'Add No to Yoga', 'No')
    await look(t, page, 'app-own-measures-today')
    const { facts } = await daisy.do('measures.facts')
    t.same(
      facts.map(({ latest: { content }, count }: Answer) => [count, content]),
      [
        [2, 2.5],
        [1, 2],
        [1, false]
      ]
    )
    await leave(page)
  })

  const page = await enter('/app/daisy/measures')
  await t.test('are renamed; what is recorded stays once there is data', async t => {
    await page.getByRole('button', { name: 'Change Pages' }).click()
    const dialog = page.getByRole('dialog')
    t.equal(await dialog.getByLabel('What you record').isDisabled(), true)
    await dialog.getByLabel('Name', { exact: true }).fill('   ')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('.problem').waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('Pages read')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Change Pages read' }).waitFor()
    const [, pages] = await readOwn()
    t.match(pages, { name: 'Pages read', kind: 'sum', quickValues: [10, 2.5] })
  })

  await t.test('are removed, and restored; their data remains', async t => {
    const before = await readOwn()
    await page.getByRole('button', { name: 'Remove Pages read' }).click()
    await page.getByText('Removed: Pages read.').waitFor()
    t.equal((await readOwn()).length, 3)
    const id = before[1].id as string
    const hasCard = async (): Promise<boolean> => (await readProfile())['coffer:today'].cards.includes(id)
    await untilStored(hasCard, false)
    t.equal((await daisy.do('events.get', { types: ['count/generic'], limit: 100 })).events.length, 3)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Change Pages read' }).waitFor()
    await untilStored(hasCard, true)
    t.match((await daisy.do('measures.facts', { measures: [id] })).facts, [{ count: 2 }])
    await leave(page)
  })
})
