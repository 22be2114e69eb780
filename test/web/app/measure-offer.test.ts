/** Lanes of streams whose measure their type does not tell: the user is asked once. */
import t from 'tap'
import { desk, phone, startApp } from '../../support/app.js'
import { leave } from '../../support/browser.js'
import { look } from '../../support/look.js'

t.test('the timeline asks once for the measure of a stream', async t => {
  const { daisy, enter, service } = await startApp(t)
  const now = service.clock.now()
  for (const id of ['fat', 'charge', 'scale', 'diary']) await daisy.do('streams.create', { id, name: id })
  for (let day = 1; day < 6; day++)
    for (const [streamId, type, content] of [
      ['fat', 'ratio/percent', 20 + day],
      ['charge', 'ratio/percent', 50 + day],
      ['scale', 'mass/kg', 60 + day],
      ['diary', 'note/txt', 'A day like any other']
    ] as const)
      await daisy.event({ streamIds: [streamId], type, content, time: now - day * 86_400 })
  const read = async (id: string): Promise<unknown> => {
    const { streams } = await daisy.do('streams.get', {})
    return streams.find((each: { readonly id: string }) => each.id === id).clientData?.['coffer:measure']
  }

  const page = await enter('/app/daisy/timeline', desk)
  const lane = (name: string) =>
    page.locator('.lane').filter({ has: page.getByRole('heading', { name, exact: true }) })
  await lane('fat').getByRole('button', { name: 'Which measure is this?' }).waitFor()
  await lane('charge').getByRole('button', { name: 'Which measure is this?' }).waitFor()
  t.equal(await page.getByText('Which measure is this?').count(), 2, 'but not where the type tells')
  await look(t, page, 'app-timeline-offer')

  await lane('charge').getByRole('button', { name: 'No measure' }).click()
  await lane('charge').getByText('Which measure is this?').waitFor({ state: 'detached' })
  t.equal(await read('charge'), '')

  await lane('fat').getByRole('button', { name: 'Which measure is this?' }).click()
  await page.getByRole('dialog').getByRole('combobox').selectOption({ label: 'Body fat' })
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await lane('Body fat')
    .getByText(/^21%?$/)
    .first()
    .waitFor()
  t.equal(await lane('fat').count(), 0, 'the lane is that of the measure')
  t.equal(await read('fat'), 'body-fat')
  t.ok((new URL(page.url()).searchParams.get('lanes') ?? '').split(',').includes('@body-fat'))

  await page.goto(`${page.url().split('?')[0]!}?lanes=charge,scale,fat`)
  await lane('charge').waitFor()
  await lane('scale').waitFor()
  await lane('fat').waitFor()
  await lane('fat').locator('figure[aria-busy=false]').waitFor()
  t.equal(await page.locator('.lane').count(), 3, 'addresses with lanes of streams still work')
  t.equal(await page.getByText('Which measure is this?').count(), 0)
  await leave(page)

  const small = await enter('/app/daisy/timeline?lanes=charge,scale', { ...phone, locale: 'fr-CH' })
  await small.locator('.lane').first().waitFor()
  t.equal(await small.getByText('De quelle mesure').count(), 0)
  await leave(small)
})
