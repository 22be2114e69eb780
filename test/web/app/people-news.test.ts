/** The number of what other people have written, on the link to the page of people. */
import t from 'tap'
import { desk, startApp } from '../../support/app.js'
import { leave, untilHeading } from '../../support/browser.js'
import { look } from '../../support/look.js'
import { listPeers, relate, scope, settled, write, type TwoServers } from '../../support/two-servers.js'

t.test('the link to people', async t => {
  const { daisy, enter, service } = await startApp(t, { cmc: { allowInternalTargets: true } })
  for (const id of ['health', 'diary']) await daisy.stream(id)
  await daisy.event()
  const dora = await service.user('dora-doctor')
  await relate({ dora, paul: daisy } as TwoServers)
  const page = await enter('/app/daisy/timeline', desk)
  const badge = page.locator('nav.side .badge')
  const say = async (client: typeof dora, slug: string, content: string): Promise<void> => {
    service.clock.advance(1)
    const { event } = await write(
      client,
      'message/chat-cmc',
      { content },
      `${scope}:chats:${slug}--127-0-0-1`
    )
    await settled(client, event.id)
  }

  await t.test('counts messages of others, as they come', async t => {
    t.equal(await badge.count(), 0)
    await say(dora, 'daisy', 'Good morning')
    await badge.filter({ hasText: /^1$/ }).waitFor()
    await say(daisy, 'dora-doctor', 'Good morning to you')
    await say(dora, 'daisy', 'How are you?')
    await badge.filter({ hasText: /^2$/ }).waitFor()
    await look(t, page, 'app-people-news')
  })

  await t.test('shows none once the user has looked, also after a reload', async () => {
    await page.locator('nav.side').getByRole('link', { name: 'People' }).click()
    await untilHeading(page, 'People you share with')
    await badge.waitFor({ state: 'detached' })
    await page.locator('nav.side').getByRole('link', { name: 'Timeline' }).click()
    await page.locator('.score').waitFor()
    await say(dora, 'daisy', 'Tell me')
    await badge.filter({ hasText: /^1$/ }).waitFor()
    await page.reload()
    await badge.filter({ hasText: /^1$/ }).waitFor()
  })

  await t.test('counts that someone has ended a relationship', async t => {
    const channel = (await listPeers(dora))[0]
    service.clock.advance(1)
    await dora.do('accesses.delete', { id: channel.id })
    await badge.filter({ hasText: /^2$/ }).waitFor()
    t.same(await listPeers(daisy), [])
  })

  await leave(page)
})
