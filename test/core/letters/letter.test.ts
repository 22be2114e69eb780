import t, { type Test } from 'tap'
import type { AccountTimers } from '../../../core/timers/account-timers.js'
import { openCoffer, type Answer, type Client, type Overrides, type Service } from '../../support/coffer.js'
import { mailbox, type Mailbox } from '../../support/mailbox.js'
import { until } from '../../support/socket.js'

const day = 86_400
const week = 7 * day
/** The clock of tests begins on Tuesday, 14 November 2023; this is the Monday after, at 8:00 UTC. */
const monday = Date.UTC(2023, 10, 20, 8) / 1000

type World = Service & { alice: Client; bob: Client; box: Mailbox }

async function startWorld(
  t: Test,
  options?: Parameters<typeof mailbox>[1],
  overrides: Overrides = {}
): Promise<World> {
  const box = await mailbox(t, options)
  const service = await openCoffer(t, { ...box.settings, ...overrides })
  const bob = await service.user('bobby', { email: 'bob@example.com' })
  await bob.stream('scale')
  return Object.assign(service, { bob, box })
}

async function turnOn({ bob }: World, more: object = {}): Promise<Answer> {
  return (await bob.do('letter.update', { update: { isOn: true, ...more } })).letter
}

/** Adds a weight on each of the days before a time. */
async function addWeights({ bob }: World, end: number, contents: readonly number[]): Promise<void> {
  const calls = contents.map((content, index) => ({
    method: 'events.create',
    params: {
      streamIds: ['scale'],
      type: 'mass/kg',
      time: end - (contents.length - index) * day,
      content
    }
  }))
  await bob.do('callBatch', calls)
}

/** Moves the clock, and waits until the letter that is due then is done: the next one is later. */
async function reach({ bob, clock }: World, time: number): Promise<void> {
  clock.advance(time - clock.now())
  await until(async () => (await bob.do('letter.get')).letter.next > time, 'the next letter')
}

/** Returns the path at which a mail program turns the letter off. */
function readPath({ source }: { readonly source: string }): string {
  const link = /List-Unsubscribe:\s+<(\S+)>/.exec(source.replaceAll(/\r\n\s+/g, ' '))![1]!
  return link.slice(new URL(link).origin.length)
}

/** Posts what a mail program does. Returns the status. */
async function unsubscribe(url: string): Promise<number> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return (await fetch(url, { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' })).status
}

t.test('the weekly letter', async t => {
  t.test('tells no values unless the user wants it', async t => {
    const world = await startWorld(t)
    const { bob, box } = world
    t.match(await turnOn(world), { isOn: true, next: monday, address: 'bob@example.com', hasMail: true })
    await addWeights(world, monday, [171.25, 171.25, 171.25])
    await reach(world, monday)
    const mail = await box.receivedBy('bob@example.com')
    t.equal(mail.subject, 'Your week is ready')
    t.match(mail.text, /Open your week:\s+http\S+\/app\/bobby\/letter\?to=2023-11-19/)
    t.notMatch(mail.text + mail.html, /171\D25|Weight/)
    t.match(mail.source, /List-Unsubscribe:\s+<http\S+>/)
    t.match(mail.source, 'List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    t.equal((await bob.do('letter.get')).letter.next, monday + week)
  })

  t.test('is sent once a week', async t => {
    const world = await startWorld(t)
    await turnOn(world)
    await addWeights(world, monday + week, [71, 72, 73, 71, 72, 73, 71, 72, 73])
    for (const time of [monday, monday + day, monday + week, monday + week + 60]) {
      await reach(world, time)
      // A change of the settings does not send the letter again.
      await world.bob.do('letter.update', { update: { weekday: 1, time: '08:00' } })
    }
    t.equal(world.box.mails.length, 2)
    // Nor does another day: the next letter is about other days.
    const { next } = (await world.bob.do('letter.update', { update: { weekday: 2 } })).letter
    t.equal(next, monday + 2 * week + day)
  })

  t.test('is sent although the clock was ahead for a moment', async t => {
    const world = await startWorld(t, {}, { auth: { sessionMaxAge: 1e9 } })
    const { bob, clock } = world
    await turnOn(world)
    const ahead = 1095 * day
    await reach(world, clock.now() + ahead)
    clock.advance(-ahead)
    await until(async () => (await bob.do('letter.get')).letter.next === monday, 'the right time')
    t.equal((await turnOn(world, { time: '09:00' })).next, monday + 3600)
    await addWeights(
      world,
      monday + 2 * week,
      Array.from({ length: 21 }, () => 71)
    )
    for (const count of [1, 2]) {
      await reach(world, monday + 3600 + (count - 1) * week)
      t.equal(world.box.mails.length, count)
    }
    // The letter of a week that has begun is not sent again.
    await reach(world, monday + 3600 + 2 * week)
    t.equal(world.box.mails.length, 3)
    clock.advance(-2 * day)
    t.equal((await turnOn(world, { byMail: true })).next, monday + 3600 + 3 * week)
  })

  t.test('says what the week was like, in the language of the user', async t => {
    const world = await startWorld(t)
    const { bob, clock } = world
    await turnOn(world, { showsValues: true, language: 'de' })
    const usual = Array.from({ length: 28 }, (_, index) => 70 + (index % 3))
    await addWeights(world, monday, [...usual, 75, 75, 75, 75, 75])
    await bob.event({ streamIds: ['scale'], type: 'count/steps', time: monday - 2 * day, content: 9000 })
    const doctor = await bob.grant('read', 'scale', { name: 'Frau Doktor' })
    await doctor.do('events.get', {})
    await bob.do('profile.updatePrivate', {
      update: { 'coffer:goals': { steps: { period: 'day', min: 8000 } } }
    })
    t.ok(clock.now() < monday)
    await reach(world, monday)
    const { html, subject, ...mail } = await world.box.receivedBy('bob@example.com')
    const text = mail.text.replaceAll('\r', '')
    t.equal(subject, 'Ihre Woche vom 13. November 2023 bis 19. November 2023')
    t.match(text, 'Was anders war\n- Gewicht: 75 kg, höher als üblich: sonst 69,52 kg bis 72,48 kg.\n')
    t.match(text, '- Schritte: 9.000. 6 Tage fehlen.')
    t.match(text, 'Ziele\n- Schritte: an 1 von 7 Tagen erreicht')
    t.match(text, 'Wer Ihre Daten angesehen hat\n- Frau Doktor: an 1 Tag')
    t.match(html, 'Gewicht: 75 kg')
  })

  t.test('says only what is known', async t => {
    const box = await mailbox(t)
    const service = await openCoffer(t, { ...box.settings, audit: { active: false } })
    const bob = await service.user('bobby', { email: 'bob@example.com' })
    await bob.stream('scale')
    const world: World = Object.assign(service, { bob, box })
    await turnOn(world, { showsValues: true, language: 'fr' })
    const time = monday - 2 * day
    await bob.event({ streamIds: ['scale'], type: 'count/steps', time, content: 9000 })
    const night = { type: 'sleep/analysis', content: { analysis: 'asleep' }, duration: 8 * 3600 }
    await bob.event({ streamIds: ['scale'], ...night, time: time - 10 * 3600 })
    const goals = { steps: { period: 'day', min: 8000 }, sleep: { period: 'week', min: 3600 } }
    await bob.do('profile.updatePrivate', { update: { 'coffer:goals': goals } })
    await reach(world, monday)
    const text = (await box.receivedBy('bob@example.com')).text.replaceAll('\r', '')
    t.match(text, '- Pas: atteint 1 jour sur 7. Il manque 6 jours.')
    t.match(text, '- Sommeil: atteint cette semaine. Il manque 6 jours.')
    t.match(text, 'Les nuits ont commencé à 22:00 et se sont terminées à 06:00.')
    t.notMatch(text, 'Qui a consulté vos données', 'without an audit, no one knows')
  })

  t.test('keeps names that apps have chosen in their lines', async t => {
    const world = await startWorld(t)
    const { bob } = world
    await turnOn(world, { showsValues: true })
    await addWeights(world, monday, [70])
    const name = `Helper\n\nYour account ends today:\u2028https://example.com ${'x'.repeat(300)}`
    const helper = await bob.grant('read', 'scale', { name })
    await helper.do('events.get', {})
    await reach(world, monday)
    const { text } = await world.box.receivedBy('bob@example.com')
    const lines = text.split(/[\r\n\u2028]+/)
    t.ok(lines.some(line => /^- Helper +Your account .*…: on 1 day$/.test(line)))
    t.notOk(lines.some(line => /^(?:Your account|https:..example)/.test(line)))
  })

  t.test('is not sent for a week without data, nor to an address that is not confirmed', async t => {
    const world = await startWorld(t)
    t.match(await world.alice.call('letter.update', { update: { isOn: true } }), {
      error: { id: 'invalid-operation' }
    })
    await turnOn(world)
    await reach(world, monday)
    await addWeights(world, monday + week, [70])
    const { services } = world.server
    const store = services.accounts.openStore(services.accounts.find('bobby')!)
    await store.write(() => store.confirmed.set('email', null))
    await reach(world, monday + week)
    t.equal(world.box.mails.length, 0)
  })

  t.test('is tried again if the mail server is unavailable, and given up at last', async t => {
    let refused = 0
    let isUp = false
    const world = await startWorld(t, {
      onMailFrom(_address, _session, done) {
        if (isUp) return done()
        refused++
        done(Object.assign(new Error('busy'), { responseCode: 451 }))
      }
    })
    await turnOn(world)
    await addWeights(world, monday + week, [70, 70, 70, 70, 70, 70, 70, 70, 70, 70])
    const { bob, clock } = world
    clock.advance(monday - clock.now())
    for (let failures = 1; failures <= 6; failures++) {
      await until(() => refused === failures, `${failures} failures`)
      const known = (await bob.do('letter.get')).letter.next
      await until(async () => (await bob.do('letter.get')).letter.next !== known || failures > 0, 'a plan')
      await until(async () => (await bob.do('letter.get')).letter.next > clock.now(), 'another attempt')
      if (failures < 6) clock.advance((await bob.do('letter.get')).letter.next - clock.now())
    }
    t.equal((await bob.do('letter.get')).letter.next, monday + week)
    isUp = true
    await reach(world, monday + week)
    t.equal(world.box.mails.length, 1)
  })

  t.test('is still tried again after a change of other settings', async t => {
    let refused = 0
    const world = await startWorld(t, {
      onMailFrom(_address, _session, done) {
        if (refused > 0) return done()
        refused++
        done(Object.assign(new Error('busy'), { responseCode: 451 }))
      }
    })
    await turnOn(world)
    await addWeights(world, monday, [70])
    const { bob, box, clock } = world
    clock.advance(monday - clock.now())
    await until(async () => (await bob.do('letter.get')).letter.next > monday, 'another attempt')
    const { letter } = await bob.do('letter.update', { update: { language: 'de' } })
    t.ok(letter.next < monday + day)
    await reach(world, letter.next)
    t.equal((await box.receivedBy('bob@example.com')).subject, 'Ihre Woche ist da')
    t.equal((await bob.do('letter.get')).letter.next, monday + week)
  })

  t.test('is not sent again if a crash may have come after it', async t => {
    const world = await startWorld(t)
    await turnOn(world)
    await addWeights(world, monday, [70])
    const { services } = world.server
    const store = services.accounts.openStore(services.accounts.find('bobby')!)
    const last = Date.UTC(2023, 10, 19) / 1000 / day
    await store.write(() => store.letter.put({ ...store.letter.find()!, sending: last }))
    await reach(world, monday)
    t.equal(world.box.mails.length, 0)
    await addWeights(world, monday + week, [70])
    await reach(world, monday + week)
    t.equal(world.box.mails.length, 1)
  })

  t.test('stays due if settings are changed before it is sent', async t => {
    const world = await startWorld(t)
    const { bob, clock, server } = world
    await turnOn(world)
    await (server.services.timers as AccountTimers).close()
    clock.advance(monday + 60 - clock.now())
    const change = async (update: object): Promise<number> =>
      (await bob.do('letter.update', { update })).letter.next
    t.equal(await change({ showsValues: true }), monday)
    t.equal(await change({ time: '07:00' }), monday + week - 3600, 'another time is that of the next one')
  })

  t.test('ends with one POST of a mail program, which needs no other token', async t => {
    const world = await startWorld(t)
    const { bob, box, server } = world
    await turnOn(world)
    await addWeights(world, monday, [70])
    await reach(world, monday)
    const path = readPath(await box.receivedBy('bob@example.com'))
    const post = async (to: string): Promise<number> => await unsubscribe(server.url + to)
    t.equal(await post(`${path.slice(0, -3)}abc`), 401)
    t.equal((await bob.do('letter.get')).letter.isOn, true)
    t.equal(await post(path), 200)
    t.match((await bob.do('letter.get')).letter, { isOn: false, next: null })
    t.equal(await post(path), 200)
    t.equal(await post(path.replace('bobby', 'nobody')), 401)
  })

  t.test('cannot be ended with earlier mails, or with mails to a former address', async t => {
    const world = await startWorld(t)
    const { bob, box, server } = world
    await turnOn(world)
    await addWeights(
      world,
      monday + 2 * week,
      Array.from({ length: 20 }, () => 70)
    )
    await reach(world, monday)
    const first = readPath(await box.receivedBy('bob@example.com'))
    await bob.do('letter.update', { update: { time: '08:00' } })
    await bob.do('letter.update', { update: { isOn: false } })
    await turnOn(world)
    t.equal(await unsubscribe(server.url + first), 401)
    await reach(world, monday + week)
    const second = readPath(box.mails.at(-1)!)
    t.not(second, first)
    const { accounts } = world.server.services
    const store = accounts.openStore(accounts.find(bob.username)!)
    await store.write(() => store.confirmed.set('email', 'robert@example.com'))
    t.equal(await unsubscribe(server.url + second), 401)
    await reach(world, monday + 2 * week)
    const third = readPath(box.mails.at(-1)!)
    t.not(third, second)
    t.equal(await unsubscribe(server.url + second), 401)
    t.equal((await bob.do('letter.get')).letter.isOn, true)
    t.equal(await unsubscribe(server.url + third), 200)
    t.equal((await bob.do('letter.get')).letter.isOn, false)
  })

  t.test('channels tell that it is ready, once, and without data', async t => {
    const world = await startWorld(t)
    const { bob, box } = world
    const target = { url: 'http://127.0.0.1:9' }
    const { channel } = await bob.do('channels.create', { type: 'webhook', name: 'phone', target })
    const channelIds = [channel.id]
    t.match(await bob.call('letter.update', { update: { isOn: true, byMail: false } }), {
      error: { id: 'invalid-operation' }
    })
    t.match(await turnOn(world, { byMail: false, channelIds }), { byMail: false, channelIds, next: monday })
    const listTold = async (): Promise<Answer[]> =>
      (await bob.do('channels.getOne', { id: channel.id })).deliveries
    await reach(world, monday)
    t.same(await listTold(), [], 'a week without data has no letter')
    await addWeights(world, monday + week, [171.25, 171.25])
    await reach(world, monday + week)
    const told = await listTold()
    t.match(told, [{ title: 'Your week is ready', source: { kind: 'letter', id: '2023-11-26' } }])
    const { accounts } = world.server.services
    const { messages } = accounts.openStore(accounts.find('bobby')!)
    t.notMatch(messages.listOfChannel(channel.id)[0]!.body, /171|Weight/)
    await turnOn(world, { byMail: true, language: 'de' })
    await addWeights(world, monday + 2 * week, [171.25, 171.25])
    await reach(world, monday + 2 * week)
    t.equal((await box.receivedBy('bob@example.com')).subject, 'Ihre Woche ist da', 'the first mail')
    t.equal((await listTold()).length, 2)
  })
})
